import { randomBytes } from 'node:crypto';
import { dayMs, hourMs, minuteMs } from '../durations.js';
import type { Clock } from '../ports.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { encryptorOf } from '../storage/secrets.js';
import { createVisitorKeys, type VisitorKeys } from './classify/visitor-keys.js';
import type { Window } from './reports/report-window.js';

// All nodes read a new period within a minute, before it begins.
const leastNoticeMs = 10 * minuteMs;
// An earlier insertion would give the value of the next period to whoever copies the database.
const mostNoticeMs = dayMs;
// The clocks of nodes differ, so the values before it are erased when a period is this old.
const erasedAfterMs = hourMs;

export interface VisitorKeyRotationOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The length of a period; undefined starts no further one. */
  readonly everyDays: number | undefined;
}

interface Period {
  readonly startsAt: number;
  /** A random text; null once it is erased. */
  readonly value: string | null;
  /** Undefined once the value is erased. */
  readonly keys: VisitorKeys | undefined;
}

/**
 * Chooses the keys of the visitor hashes. Each period has its own, which is random and stored encrypted.
 * Those of past periods are erased, after which nobody can compare an address with their hashes.
 */
export class VisitorKeyRotation {
  readonly #options: VisitorKeyRotationOptions;
  #periods: readonly Period[] = [];

  constructor(options: VisitorKeyRotationOptions) {
    this.#options = options;
  }

  /** Reads the periods. Begins one in a new database, and in one whose secret key was lost. */
  async start(): Promise<void> {
    await this.#read();
    if (this.#periods.some(({ value }) => value !== null)) return;
    const { database, clock } = this.#options;
    const startsAt = this.#periods.length === 0 ? 0 : clock();
    await database.writeDirectly((transaction) => this.#insert(transaction, startsAt), 'rows');
    await this.#read();
  }

  /** Returns the keys of a time. They are the same object until the next period. */
  readonly keysAt = (at: number): VisitorKeys => {
    // After a clock was set back, a time may lie before all periods whose values remain.
    const period =
      this.#periods.findLast(({ startsAt, keys }) => keys && startsAt <= at) ??
      this.#periods.find(({ keys }) => keys);
    if (!period?.keys) throw new Error('the visitor keys are not started');
    return period.keys;
  };

  /** Whether a period begins within a window, so a visitor before and after it counts twice. */
  readonly isWithin = ({ since, until }: Window): boolean =>
    this.#periods.some(({ startsAt }) => since < startsAt && startsAt < until);

  /** Reads the periods, announces the next one in time, and erases the values of past ones. */
  async tick(): Promise<void> {
    await this.#read();
    const { database, clock, everyDays } = this.#options;
    const now = clock();
    const next = everyDays === undefined ? undefined : nextStart(this.#periods, now, everyDays);
    const current = this.#periods.findLast(({ startsAt }) => startsAt <= now - erasedAfterMs);
    const hasPast =
      current !== undefined &&
      this.#periods.some(({ startsAt, value }) => startsAt < current.startsAt && value !== null);
    if (next === undefined && !hasPast) return;
    await database.writeDirectly(async (transaction) => {
      if (next !== undefined) await this.#insert(transaction, next);
      if (hasPast) {
        await transaction
          .updateTable('visitor_keys')
          .set({ value: null })
          .where('starts_at', '<', current.startsAt)
          .where('value', 'is not', null)
          .execute();
      }
    }, 'rows');
    await this.#read();
  }

  /** Begins a period, unless another node has. */
  async #insert(transaction: WriteTransaction, startsAt: number): Promise<void> {
    const encrypt = await encryptorOf(this.#options.database, transaction);
    const value = encrypt(randomBytes(32).toString('base64url'), placeOf(startsAt));
    await transaction
      .insertInto('visitor_keys')
      .values({ starts_at: startsAt, value })
      .onConflict((conflict) => conflict.column('starts_at').doNothing())
      .execute();
  }

  async #read(): Promise<void> {
    const { read, keyring } = this.#options.database;
    const rows = await read
      .selectFrom('visitor_keys')
      .select(['starts_at as startsAt', 'value'])
      .orderBy('starts_at')
      .execute();
    const known = this.#periods;
    this.#periods = rows.map(({ startsAt, value: encrypted }) => {
      const value = encrypted && keyring.decrypt(encrypted, placeOf(startsAt));
      const same = known.find((each) => each.startsAt === startsAt && each.value === value);
      return (
        same ?? { startsAt, value, keys: value === null ? undefined : createVisitorKeys(value) }
      );
    });
  }
}

function placeOf(startsAt: number) {
  return ['visitor_keys', String(startsAt)];
}

/** Returns when the next period begins, if it must be announced now. It begins at midnight, UTC. */
function nextStart(periods: readonly Period[], now: number, everyDays: number): number | undefined {
  // A node whose clock was wrong may have announced a period far ahead.
  const last = periods.findLast(({ startsAt }) => startsAt <= now + mostNoticeMs);
  const midnight = Math.ceil((now + leastNoticeMs) / dayMs) * dayMs;
  const next = Math.max(midnight, last === undefined ? 0 : last.startsAt + everyDays * dayMs);
  return next <= now + mostNoticeMs ? next : undefined;
}
