import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Change, ChangeWatcher, Schema } from '../database.js';
import type { PostgresAddress } from './postgres-url.js';
import { checkTakesWrites, clientConfig } from './server-pool.js';

// A notification wakes the reader at once. If it is lost, or the listener is disconnected, the next
// poll reads the change.
const pollEveryMs = 500;
// Changes are stored for an hour. A node that has not polled for this long may have missed some.
const maxGapMs = 30 * 60_000;
const retryListeningMs = 1_000;

/**
 * Reads the changes of cached records from `cache_changes`. Triggers insert them in the transaction
 * that changes the record (`node-tables.ts`), so none is missed. Every transaction that writes those
 * tables holds the 'records' lock, so ids are in the order of the commits: a lower id that is
 * committed after a higher one was read would be missed.
 */
export class ChangeFeed {
  readonly #db: Kysely<Schema>;
  readonly #address: PostgresAddress;
  readonly #watcher: ChangeWatcher;
  readonly #stopping = new AbortController();
  #wake: () => void = () => {};
  #isNotified = false;
  #last = 0;
  #polledAt = 0;
  #isDisconnected = false;

  private constructor(db: Kysely<Schema>, address: PostgresAddress, watcher: ChangeWatcher) {
    this.#db = db;
    this.#address = address;
    this.#watcher = watcher;
  }

  /** Resolves once later changes cannot be missed, with a function that stops the feed. */
  static async watch(
    db: Kysely<Schema>,
    address: PostgresAddress,
    watcher: ChangeWatcher,
  ): Promise<() => Promise<void>> {
    const feed = new ChangeFeed(db, address, watcher);
    await feed.#begin();
    const running = Promise.all([feed.#pollUntilStopped(), feed.#listenUntilStopped()]);
    return async () => {
      feed.#stopping.abort();
      feed.#notify();
      await running;
    };
  }

  async #begin(): Promise<void> {
    const { rows } = await sql<{ last: number }>`
      select coalesce(max(id), 0) as last from cache_changes`.execute(this.#db);
    this.#last = rows[0]?.last ?? 0;
    this.#polledAt = performance.now();
    this.#isDisconnected = false;
  }

  async #pollUntilStopped(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isNotified = false;
      await this.#poll();
      // A change that was notified during the poll may have been too late for it.
      if (this.#isNotified) continue;
      await Promise.race([
        sleep(pollEveryMs, undefined, { ref: false }),
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
      ]);
    }
  }

  #notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  async #poll(): Promise<void> {
    try {
      if (this.#isDisconnected || performance.now() - this.#polledAt > maxGapMs) {
        // After a failover, the new server's ids may differ.
        await this.#begin();
        this.#watcher.onUnknown();
        return;
      }
      const { rows } = await sql<Change & { id: number }>`
        select id, kind, key from cache_changes where id > ${this.#last} order by id`.execute(
        this.#db,
      );
      this.#polledAt = performance.now();
      if (rows.length === 0) return;
      this.#last = rows.at(-1)?.id ?? this.#last;
      this.#watcher.onChanged(rows);
    } catch (error) {
      if (!this.#isDisconnected) this.#watcher.onError(error);
      this.#isDisconnected = true;
    }
  }

  async #listenUntilStopped(): Promise<void> {
    for (let at = 0; !this.#stopping.signal.aborted; at += 1) {
      await this.#listen(at);
      await sleep(retryListeningMs, undefined, {
        ref: false,
        signal: this.#stopping.signal,
      }).catch(() => {});
    }
  }

  /** Listens until the connection ends. Errors are ignored, because polling goes on without it. */
  async #listen(at: number): Promise<void> {
    const { signal } = this.#stopping;
    const socket = new Socket();
    const client = new pg.Client({ ...clientConfig(this.#address, at), stream: () => socket });
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.once('end', () => resolve());
    });
    const disconnect = () => socket.destroy();
    signal.addEventListener('abort', disconnect);
    client.on('notification', () => this.#notify());
    try {
      await client.connect();
      await checkTakesWrites(client);
      await client.query('listen shorty_changes');
      await ended;
    } catch {
      // `#listenUntilStopped` retries.
    }
    signal.removeEventListener('abort', disconnect);
    // `client.end` would wait for a server that hangs.
    disconnect();
  }
}
