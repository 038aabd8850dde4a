import { LRUCache } from 'lru-cache';
import { entryLimit } from '../entry-limit.js';
import type { Clock } from '../ports.js';

/** How often something may happen for each key. */
export interface Limit {
  readonly name: string;
  /** The units that a key has in a window. */
  readonly units: number;
  readonly windowMs: number;
  /**
   * 'evenly': used units are restored at a constant rate, all of them within a window: the generic cell
   * rate algorithm (GCRA). 'at once': a window begins with the first unit, and its end restores all.
   */
  readonly restores: 'evenly' | 'at once';
}

/** What a key has used. */
export interface Usage {
  /** Used units × the window in milliseconds, which is a whole number. */
  readonly used: number;
  readonly updatedAt: number;
  /** When all units are restored. */
  readonly endsAt: number;
}

export interface Grant extends Usage {
  /** The units that the caller may use. */
  readonly granted: number;
  /** The whole units that are left. */
  readonly left: number;
  /** Milliseconds until a unit is left; 0 if there is one. */
  readonly waitMs: number;
}

/** Counts what each key uses. */
export interface LimitStore {
  /** True if other nodes use the same units, and each call is a statement. */
  readonly isShared: boolean;
  /** Takes as many of the units that a key asks for as it has left. With 0, it only reads. */
  take(limit: Limit, key: string, asked: number): Grant | Promise<Grant>;
  /** Returns one unit of a grant, unless its window has ended. For limits that restore at once. */
  refund(limit: Limit, key: string, grant: Grant): void | Promise<void>;
}

/** Returns what a key is granted, and its usage afterwards. */
export function grantUnits(
  limit: Limit,
  usage: Usage | undefined,
  asked: number,
  now: number,
): Grant {
  const { units, windowMs, restores } = limit;
  const isOver = usage === undefined || usage.endsAt <= now;
  // The clock may be set back.
  const passedMs = Math.max(0, now - (usage?.updatedAt ?? now));
  const restored = restores === 'evenly' ? passedMs * units : 0;
  const before = isOver ? 0 : Math.max(0, usage.used - restored);
  const granted = Math.min(asked, unitsLeft(limit, before));
  const used = before + granted * windowMs;
  const endsAt =
    restores === 'evenly' ? now + Math.ceil(used / units) : isOver ? now + windowMs : usage.endsAt;
  return toGrant(limit, { used, updatedAt: now, endsAt }, granted);
}

export function toGrant(limit: Limit, usage: Usage, granted: number): Grant {
  const { units, windowMs, restores } = limit;
  const { used, updatedAt, endsAt } = usage;
  const left = unitsLeft(limit, used);
  const missing = used + windowMs - units * windowMs;
  const untilNextMs = restores === 'evenly' ? Math.ceil(missing / units) : endsAt - updatedAt;
  return { ...usage, granted, left, waitMs: left > 0 ? 0 : untilNextMs };
}

function unitsLeft({ units, windowMs }: Limit, used: number): number {
  return Math.max(0, Math.floor((units * windowMs - used) / windowMs));
}

// Beyond this number, the least recently used key of a limit is evicted.
const maxKeys = 100_000;

/** Counts in the memory of this process. */
export class MemoryLimits implements LimitStore {
  readonly isShared = false;
  readonly #clock: Clock;
  /** Usage by limit and key. */
  readonly #usages = new Map<string, LRUCache<string, Usage>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(limit: Limit, key: string, asked: number): Grant {
    const usages = this.#usagesOf(limit);
    const grant = grantUnits(limit, usages.get(key), asked, this.#clock());
    usages.set(key, grant);
    return grant;
  }

  refund(limit: Limit, key: string, { endsAt }: Grant): void {
    const usages = this.#usagesOf(limit);
    const usage = usages.get(key);
    if (usage?.endsAt !== endsAt) return;
    usages.set(key, { ...usage, used: Math.max(0, usage.used - limit.windowMs) });
  }

  #usagesOf({ name }: Limit): LRUCache<string, Usage> {
    const known = this.#usages.get(name);
    if (known) return known;
    const usages = new LRUCache<string, Usage>(entryLimit(maxKeys));
    this.#usages.set(name, usages);
    return usages;
  }
}
