import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Change, ChangeWatcher, Schema } from '../database.js';
import type { PostgresAddress } from './postgres-url.js';
import { checkTakesWrites, clientConfig } from './server-pool.js';

// A notification makes a change known at once. One that is lost, or a listener that is cut off, makes
// it known at the next look.
const lookEveryMs = 500;
// Changes are kept for an hour: who has not looked for this long cannot know what it has missed.
const maxGapMs = 30 * 60_000;
const retryListeningMs = 1_000;

/**
 * What other nodes have changed. Whoever changes a record writes that down in the same transaction,
 * by triggers of migration 0007; so nothing is missed, whichever node it was and however it ended.
 * The ids are in the order of the commits because whoever writes those tables holds the lane of the
 * records: a lower id that is committed after a higher one was seen would never be seen.
 */
export class ChangeFeed {
  readonly #db: Kysely<Schema>;
  readonly #address: PostgresAddress;
  readonly #watcher: ChangeWatcher;
  readonly #stopping = new AbortController();
  #wake: () => void = () => {};
  #isRung = false;
  #last = 0;
  #lookedAt = 0;
  #isLost = false;

  private constructor(db: Kysely<Schema>, address: PostgresAddress, watcher: ChangeWatcher) {
    this.#db = db;
    this.#address = address;
    this.#watcher = watcher;
  }

  /** Resolves once nothing can be missed any more; stops by the function that it returns. */
  static async watch(
    db: Kysely<Schema>,
    address: PostgresAddress,
    watcher: ChangeWatcher,
  ): Promise<() => Promise<void>> {
    const feed = new ChangeFeed(db, address, watcher);
    await feed.#begin();
    const running = Promise.all([feed.#lookAgainAndAgain(), feed.#listenAgainAndAgain()]);
    return async () => {
      feed.#stopping.abort();
      feed.#ring();
      await running;
    };
  }

  async #begin(): Promise<void> {
    const { rows } = await sql<{ last: number }>`
      select coalesce(max(id), 0) as last from cache_changes`.execute(this.#db);
    this.#last = rows[0]?.last ?? 0;
    this.#lookedAt = performance.now();
    this.#isLost = false;
  }

  async #lookAgainAndAgain(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isRung = false;
      await this.#look();
      // What rings meanwhile may be too late for this look to have seen.
      if (this.#isRung) continue;
      await Promise.race([
        sleep(lookEveryMs, undefined, { ref: false }),
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
      ]);
    }
  }

  #ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  async #look(): Promise<void> {
    try {
      if (this.#isLost || performance.now() - this.#lookedAt > maxGapMs) {
        // Another server may have taken over, whose memory is another.
        await this.#begin();
        this.#watcher.onUnknown();
        return;
      }
      const { rows } = await sql<Change & { id: number }>`
        select id, kind, key from cache_changes where id > ${this.#last} order by id`.execute(
        this.#db,
      );
      this.#lookedAt = performance.now();
      if (rows.length === 0) return;
      this.#last = rows.at(-1)?.id ?? this.#last;
      this.#watcher.onChanged(rows);
    } catch (error) {
      if (!this.#isLost) this.#watcher.onError(error);
      this.#isLost = true;
    }
  }

  async #listenAgainAndAgain(): Promise<void> {
    for (let at = 0; !this.#stopping.signal.aborted; at += 1) {
      await this.#listen(at);
      await sleep(retryListeningMs, undefined, {
        ref: false,
        signal: this.#stopping.signal,
      }).catch(() => {});
    }
  }

  /** Until the connection ends. Looking goes on without it, so its fate is nobody's concern. */
  async #listen(at: number): Promise<void> {
    const { signal } = this.#stopping;
    const socket = new Socket();
    const client = new pg.Client({ ...clientConfig(this.#address, at), stream: () => socket });
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.once('end', () => resolve());
    });
    const cutOff = () => socket.destroy();
    signal.addEventListener('abort', cutOff);
    client.on('notification', () => this.#ring());
    try {
      await client.connect();
      await checkTakesWrites(client);
      await client.query('listen shorty_changes');
      await ended;
    } catch {
      // The next try is made soon.
    }
    signal.removeEventListener('abort', cutOff);
    // A server that hangs would not answer a farewell.
    cutOff();
  }
}
