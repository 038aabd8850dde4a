import { sql } from 'kysely';
import { ApiError, validationError } from '../contract/api-error.js';
import { PeriodicService, type Service } from '../lifecycle.js';
import type { Database } from '../storage/database.js';

export interface EventRange {
  readonly after?: string | undefined;
  readonly type?: string | undefined;
  readonly limit: number;
  readonly wait: number;
}

interface Held {
  readonly organizationId: string;
  /** The request continues once there is an event after it. */
  readonly position: number;
  readonly resume: () => void;
}

export interface EventListOptions {
  readonly database: Database;
  /** The maximum number of requests that wait at once. */
  readonly maxHeld: number;
  readonly onError: (error: unknown) => void;
}

/** The maximum number of requests of one organization that wait at once. */
export const maxHeldByOrganization = 10;
// How often storage is searched for new events, which any node and thread may write.
const pollEveryMs = 250;

/**
 * Lists events in the order of their commits, and holds requests until one comes. One query finds out for
 * all of them, so they take no connection to the database.
 */
export class EventList implements Service {
  readonly name = 'event list';
  readonly #options: EventListOptions;
  readonly #held = new Set<Held>();
  readonly #polling: PeriodicService;
  #isStopping = false;

  constructor(options: EventListOptions) {
    this.#options = options;
    this.#polling = new PeriodicService({
      name: this.name,
      everyMs: pollEveryMs,
      idleEveryMs: 60_000,
      tick: () => this.#resumeReady(),
      onError: options.onError,
    });
  }

  start(): void {
    this.#polling.start();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { resume } of this.#held) resume();
    await this.#polling.stop();
  }

  /** Returns the bodies of events, and the cursor after them. */
  async list(organizationId: string, { after, type, limit, wait }: EventRange) {
    const until = performance.now() + wait * 1000;
    let position = await this.#positionOf(organizationId, after);
    for (;;) {
      const page = await this.#read(organizationId, position, type, limit);
      const leftMs = until - performance.now();
      position = page.next;
      if (page.bodies.length > 0 || leftMs <= 0 || this.#isStopping) {
        return { bodies: page.bodies, nextAfter: encode(organizationId, position) };
      }
      await this.#hold(organizationId, position, leftMs);
    }
  }

  async #positionOf(organizationId: string, after: string | undefined): Promise<number> {
    if (after === undefined) return 0;
    const last = await this.#last(organizationId);
    if (after === 'latest') return last;
    const position = decode(organizationId, after);
    // Later than the last event: the cursor is older than a restored backup.
    if (position !== undefined && position <= last) return position;
    const message = 'must be the nextAfter of a list of the events of this organization, or latest';
    throw validationError([{ path: 'after', message }]);
  }

  async #last(organizationId: string): Promise<number> {
    const counter = await this.#options.database.read
      .selectFrom('event_counters')
      .select('last')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return counter?.last ?? 0;
  }

  async #read(organizationId: string, after: number, type: string | undefined, limit: number) {
    // Read first: the second query has all events up to this one.
    const last = await this.#last(organizationId);
    const events = this.#options.database.read
      .selectFrom('events')
      .select(['body', 'sequence'])
      .where('organization_id', '=', organizationId)
      .where('sequence', '>', after)
      .orderBy('sequence')
      .limit(sql.lit(limit))
      .$narrowType<{ sequence: number }>();
    const rows = await (type === undefined ? events : events.where('type', '=', type)).execute();
    const end = rows.at(-1)?.sequence ?? after;
    return {
      bodies: rows.map(({ body }) => body),
      next: rows.length < limit ? Math.max(last, end) : end,
    };
  }

  async #hold(organizationId: string, position: number, ms: number): Promise<void> {
    const own = [...this.#held].filter((each) => each.organizationId === organizationId);
    if (own.length >= maxHeldByOrganization) {
      const message = `${maxHeldByOrganization} requests of the organization wait for events, the maximum`;
      throw new ApiError('RATE_LIMITED', message, { headers: { 'Retry-After': '5' } });
    }
    if (this.#held.size >= this.#options.maxHeld) {
      throw new ApiError('UNAVAILABLE', 'Too many requests wait for events');
    }
    let held: Held | undefined;
    await new Promise<void>((resume) => {
      const timer = setTimeout(resume, ms);
      held = {
        organizationId,
        position,
        resume() {
          clearTimeout(timer);
          resume();
        },
      };
      this.#held.add(held);
      this.#polling.wake();
    });
    if (held) this.#held.delete(held);
  }

  /** Returns false while no request waits. */
  async #resumeReady(): Promise<boolean> {
    if (this.#held.size === 0) return false;
    const organizationIds = new Set([...this.#held].map(({ organizationId }) => organizationId));
    const counters = await this.#options.database.read
      .selectFrom('event_counters')
      .select(['organization_id', 'last'])
      .where('organization_id', 'in', [...organizationIds])
      .execute();
    const last = new Map(counters.map((counter) => [counter.organization_id, counter.last]));
    for (const { organizationId, position, resume } of this.#held) {
      if ((last.get(organizationId) ?? 0) > position) resume();
    }
    return true;
  }
}

/** A cursor contains the end of the organization's id, so that it fails in others. */
function encode(organizationId: string, position: number): string {
  return Buffer.from(`${position}.${organizationId.slice(-12)}`).toString('base64url');
}

function decode(organizationId: string, cursor: string): number | undefined {
  const position = Number.parseInt(Buffer.from(cursor, 'base64url').toString(), 10);
  return encode(organizationId, position) === cursor ? position : undefined;
}
