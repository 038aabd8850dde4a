import { availableParallelism } from 'node:os';
import type { Algorithm } from '@node-rs/argon2';
import type { Logger } from 'pino';
import { openFairQueue } from '../fair-queue.js';
import { defineThread } from '../threads/define-thread.js';
import { openThread } from '../threads/open-thread.js';

export type Passwords = ReturnType<typeof openPasswords>;

const timeLimitMs = 10_000;
// A hash uses 19 MiB and one processor. One processor is reserved for redirects.
const maxThreads = 4;

/** Hashes and verifies the passwords of links. Organizations share its queues in round robin. */
export function openPasswords({ isThreaded, logger }: { isThreaded: boolean; logger: Logger }) {
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
  const limits = { concurrency: count, maxWaiting: 2_000, maxWaitingPerOrganization: 400 };
  const hashing = openFairQueue({ name: 'passwords', ...limits });
  // A queue of its own: a visitor's unlock does not wait for the queued hashing of a bulk create.
  const unlocks = openFairQueue({ name: 'unlocks', ...limits });

  /** Returns the thread with the fewest calls. All calls take equally long. */
  function leastBusyThread() {
    return threads.reduce((a, b) => (b.figures.callsInFlight < a.figures.callsInFlight ? b : a));
  }

  return {
    /** Throws a QueueFullError before it hashes any when the queue cannot take all. */
    async hashAll(organizationId: string, all: readonly string[]): Promise<string[]> {
      hashing.assertCapacity(organizationId, all.length);
      const hash = (password: string) =>
        hashing.run(organizationId, () => leastBusyThread().call('hash', password));
      return Promise.all(all.map(hash));
    },
    verify: (organizationId: string, passwordHash: string, password: string) =>
      unlocks.run(organizationId, () => leastBusyThread().call('verify', passwordHash, password)),
    queues: [hashing, unlocks],
    threads,
    async stop(): Promise<void> {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}

// OWASP's first recommendation for Argon2id.
const settings = {
  algorithm: 2 as Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Hashes with at most 99,999 KiB, 9 passes and 9 lanes. Others would let each visit take more memory or time. */
export const affordableHash =
  /^\$argon2id\$v=19\$m=\d{1,5},t=\d,p=\d\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

// Loaded by the first call, because the main thread of a server does not need it.
const argon2 = () => import('@node-rs/argon2');

export const passwordMethods = {
  hash: async (password: string) => (await argon2()).hashSync(password, settings),
  /** Tries the password as typed, for hashes of another origin, then as new ones are stored. */
  verify: async (passwordHash: string, password: string) => {
    const { verifySync } = await argon2();
    const forms = new Set([password, password.normalize()]);
    return [...forms].some((form) => verifySync(passwordHash, form));
  },
};

/**
 * Hashes passwords with the synchronous functions. The asynchronous ones use libuv's thread pool and
 * would delay DNS, file and zlib work there.
 */
export const passwordThread = defineThread({
  name: 'passwords',
  file: import.meta.url,
  start: (_: undefined) => ({ methods: passwordMethods }),
});
