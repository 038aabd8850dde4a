import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { FairQueue } from '../fair-queue.js';
import { openThread } from '../threads/open-thread.js';
import { passwordMethods, passwordThread } from './password-thread.js';

/** Hashes and verifies the passwords of links. Organizations share its queue in round robin. */
export interface Passwords {
  /** Throws a QueueFullError if `hashAll` would refuse `count` passwords now. */
  assertCapacity(organizationId: string, count: number): void;
  /** Hashes passwords. Throws a QueueFullError before it hashes any when the queue cannot take all. */
  hashAll(organizationId: string, passwords: readonly string[]): Promise<string[]>;
  /** Verifies a password. It runs before queued hashing, because a visitor waits for it. */
  verify(organizationId: string, passwordHash: string, password: string): Promise<boolean>;
}

export interface PasswordsOptions {
  readonly isThreaded: boolean;
  readonly logger: Logger;
}

const timeLimitMs = 10_000;
// A hash uses 19 MiB and one processor. One processor is reserved for redirects.
const maxThreads = 4;

export function openPasswords({ isThreaded, logger }: PasswordsOptions) {
  const count = isThreaded ? Math.max(1, Math.min(maxThreads, availableParallelism() - 1)) : 1;
  const threads = Array.from({ length: count }, () =>
    openThread(passwordThread, {
      isThreaded,
      data: undefined,
      inline: () => ({ methods: passwordMethods }),
      timeLimitMs,
      logger,
    }),
  );
  // The import command sends four requests at once, each with up to 100 passwords.
  const queue = new FairQueue({
    name: 'passwords',
    concurrency: count,
    maxWaiting: 2_000,
    maxWaitingPerOrganization: 400,
  });
  const idle = [...threads];

  /** Runs a task on an idle thread. One is idle, because the queue runs at most one task per thread. */
  async function withThread<T>(work: (thread: (typeof threads)[number]) => Promise<T>): Promise<T> {
    const thread = idle.pop() as (typeof threads)[number];
    try {
      return await work(thread);
    } finally {
      idle.push(thread);
    }
  }

  const passwords: Passwords = {
    assertCapacity: (organizationId, count) => queue.assertCapacity(organizationId, count),
    hashAll: (organizationId, all) =>
      queue.runAll(
        organizationId,
        all.map((password) => () => withThread((thread) => thread.call('hash', password))),
      ),
    verify: (organizationId, passwordHash, password) =>
      queue.run(
        organizationId,
        () => withThread((thread) => thread.call('verify', passwordHash, password)),
        { isInteractive: true },
      ),
  };
  return {
    ...passwords,
    queue,
    threads,
    async stop(): Promise<void> {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}
