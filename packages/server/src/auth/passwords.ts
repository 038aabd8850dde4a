import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { FairQueue } from '../fair-queue.js';
import { openThread } from '../threads/open-thread.js';
import { passwordMethods, passwordThread } from './password-thread.js';

export type Passwords = ReturnType<typeof openPasswords>;

const timeLimitMs = 10_000;
// A hash uses 19 MiB and one processor. One processor is reserved for redirects.
const maxThreads = 4;

/** Hashes and verifies the passwords of links. Organizations share its queue in round robin. */
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
  const queue = new FairQueue({
    name: 'passwords',
    concurrency: count,
    maxWaiting: 2_000,
    maxWaitingPerOrganization: 400,
  });
  let calls = 0;

  /** Returns the threads in turn. All calls take equally long. */
  function nextThread() {
    calls += 1;
    return threads[calls % count] as (typeof threads)[number];
  }

  return {
    /** Throws a QueueFullError if `hashAll` would refuse `passwords` passwords now. */
    assertCapacity: (organizationId: string, passwords: number) =>
      queue.assertCapacity(organizationId, passwords),
    /** Throws a QueueFullError before it hashes any when the queue cannot take all. */
    hashAll: (organizationId: string, all: readonly string[]) =>
      queue.runAll(
        organizationId,
        all.map((password) => () => nextThread().call('hash', password)),
      ),
    /** Runs before queued hashing, because a visitor waits for it. */
    verify: (organizationId: string, passwordHash: string, password: string) =>
      queue.run(organizationId, () => nextThread().call('verify', passwordHash, password), {
        isInteractive: true,
      }),
    queue,
    threads,
    async stop(): Promise<void> {
      await Promise.all(threads.map((thread) => thread.stop()));
    },
  };
}
