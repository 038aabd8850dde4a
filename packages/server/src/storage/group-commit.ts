import type { Kysely } from 'kysely';
import { type Schema, StorageUnavailableError, type WriteTransaction } from './database.js';

interface Waiting {
  /** Does the work; how to tell its caller once the transaction has been committed. */
  run(transaction: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

export interface GroupCommitOptions {
  /** Runs first in each transaction. */
  readonly begin?: (transaction: WriteTransaction) => Promise<void>;
  /** Whether a transaction that failed so may simply be run again. */
  readonly isCollision?: (error: unknown) => boolean;
}

const maxCollisions = 10;

// More would hold the event loop, and redirects with it, for too long at a time.
const maxGroup = 16;

/**
 * Commits as one what was asked for within one turn of the event loop. Only one of them could write
 * at a time, so works that wait for each other's commits might as well share one. Each work is still
 * all or nothing by itself, and nobody is answered before the commit. Savepoints would tell works
 * apart too, but they make SQLite copy every page first and cost as much as the commit they save.
 */
export class GroupCommit {
  readonly #db: Kysely<Schema>;
  readonly #begin: (transaction: WriteTransaction) => Promise<void>;
  readonly #isCollision: (error: unknown) => boolean;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  readonly #callbacks = new WeakMap<WriteTransaction, Set<() => void>>();

  constructor(
    db: Kysely<Schema>,
    { begin = async () => {}, isCollision = () => false }: GroupCommitOptions = {},
  ) {
    this.#db = db;
    this.#begin = begin;
    this.#isCollision = isCollision;
  }

  write<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        run: async (transaction) => {
          const result = await work(transaction);
          return () => resolve(result);
        },
        fail: reject,
      });
      this.#running ??= this.#drain();
    });
  }

  /** The same callback is called once, however many works of the transaction ask for it. */
  afterCommit(transaction: WriteTransaction, callback: () => void): void {
    const callbacks = this.#callbacks.get(transaction);
    if (callbacks) callbacks.add(callback);
    else this.#callbacks.set(transaction, new Set([callback]));
  }

  /** Resolves when nothing is waiting any more. */
  async finish(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#commit(this.#waiting.splice(0, maxGroup));
    }
    this.#running = undefined;
  }

  async #commit(group: readonly Waiting[], collisions = 0): Promise<void> {
    const answers: (() => void)[] = [];
    let callbacks: Iterable<() => void> = [];
    try {
      await this.#db.transaction().execute(async (transaction) => {
        await this.#begin(transaction);
        for (const work of group) answers.push(await work.run(transaction));
        callbacks = this.#callbacks.get(transaction) ?? [];
      });
    } catch (error) {
      if (this.#isCollision(error) && collisions < maxCollisions) {
        return this.#commit(group, collisions + 1);
      }
      const [only] = group;
      if (error instanceof StorageUnavailableError) {
        // Whoever has come meanwhile is told as well: one after the other would wait for ever longer.
        for (const work of [...group, ...this.#waiting.splice(0)]) work.fail(error);
      } else if (group.length === 1) only?.fail(error);
      // One of them failed and has undone them all: each again, by itself.
      else for (const work of group) await this.#commit([work]);
      return;
    }
    for (const answer of answers) answer();
    for (const callback of callbacks) callback();
  }
}
