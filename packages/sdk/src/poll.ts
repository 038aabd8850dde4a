import type { WithResponse } from './api-promise.js';
import type { RequestOptions } from './options.js';
import type { Transport } from './send-request.js';
import type { Domain } from './types.js';

const pollEveryMs = 15_000;
const pollForMs = 30 * 60_000;

/** Repeats the verification of a domain until DNS has its record, or until the deadline. */
export async function pollVerification(
  { send, monotonicMs, wait }: Transport,
  id: string,
  options: RequestOptions,
): Promise<WithResponse<Domain>> {
  const { signal = new AbortController().signal, deadlineMs = pollForMs } = options;
  const endsAt = monotonicMs() + deadlineMs;
  for (;;) {
    try {
      // Each call has an idempotency key of its own: with the same key, its result would not change.
      const limits = { ...options, deadlineMs: endsAt - monotonicMs(), idempotencyKey: undefined };
      return await send(
        'POST /api/v1/domains/{id}/verify',
        { params: { id } },
        limits,
      ).withResponse();
    } catch (error) {
      const isLast = monotonicMs() + pollEveryMs >= endsAt;
      if (isLast || (error as { code?: unknown }).code !== 'DOMAIN_INVALID') throw error;
      await wait(pollEveryMs, signal);
    }
  }
}
