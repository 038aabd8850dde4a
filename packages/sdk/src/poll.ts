import type { ApiPromise, WithResponse } from './api-promise.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './send-request.js';

const pollEveryMs = 15_000;
const pollForMs = 30 * 60_000;

/** Repeats a call while it fails with an error of the given code, until the deadline. */
export async function poll<T>(
  send: (options: RequestOptions) => ApiPromise<T>,
  code: string,
  { signal = new AbortController().signal, deadlineMs = pollForMs }: RequestOptions,
  { monotonicMs, wait }: Transport,
): Promise<WithResponse<T>> {
  const endsAt = monotonicMs() + deadlineMs;
  for (;;) {
    try {
      // Each call has an idempotency key of its own: with the same key, its result would not change.
      const limits = { deadlineMs: endsAt - monotonicMs(), idempotencyKey: undefined };
      return await send(limits).withResponse();
    } catch (error) {
      const isLast = monotonicMs() + pollEveryMs >= endsAt;
      if (isLast || (error as { code?: unknown }).code !== code) throw error;
      await wait(pollEveryMs, signal);
    }
  }
}
