import { ApiPromise, type WithResponse } from '../api-promise.js';
import { checkOptions } from '../check-options.js';
import { GeneratedDomainsResource } from '../generated/resources.js';
import type { RequestOptions } from '../options.js';
import { requestOptions } from '../settings.js';
import type { Domain } from '../types.js';

const pollEveryMs = 15_000;
const pollForMs = 30 * 60_000;

/** Options of a verification. */
export interface VerifyOptions extends RequestOptions {
  /** Repeats the verification every 15 seconds while DNS lacks the record. */
  wait?: boolean | undefined;
}

/** Custom domains of links: `shorty.domains`. */
export class DomainsResource extends GeneratedDomainsResource {
  /**
   * Looks up the TXT record and activates the domain. Rejects with ValidationError (DOMAIN_INVALID) if
   * DNS lacks the record; the message has the records in DNS. Rejects with ConflictError
   * (DOMAIN_CONFLICT) if the hostname is active in another organization.
   *
   * With `wait`, it repeats the verification while DNS lacks the record, until `deadlineMs` (30 minutes
   * by default).
   *
   * @example
   * ```ts
   * const [domain] = await shorty.domains.list().toArray({ limit: 1 });
   * if (domain) console.log(await shorty.domains.verify(domain.id, { wait: true }));
   * ```
   */
  override verify(id: string, given: VerifyOptions = {}): ApiPromise<Domain> {
    checkOptions(given, { ...requestOptions, wait: true });
    const { wait, ...options } = given;
    if (!wait) return super.verify(id, options);
    return new ApiPromise(this.#poll(id, options));
  }

  async #poll(id: string, options: RequestOptions): Promise<WithResponse<Domain>> {
    const { monotonicMs, wait } = this.api;
    const { signal = new AbortController().signal, deadlineMs = pollForMs } = options;
    const endsAt = monotonicMs() + deadlineMs;
    for (;;) {
      try {
        // Each call has an idempotency key of its own: with the same key, its result would not change.
        const limits = {
          ...options,
          // The timer of the wait may be late.
          deadlineMs: Math.max(1, endsAt - monotonicMs()),
          idempotencyKey: undefined,
        };
        return await super.verify(id, limits).withResponse();
      } catch (error) {
        const isLast = monotonicMs() + pollEveryMs >= endsAt;
        if (isLast || (error as { code?: unknown }).code !== 'DOMAIN_INVALID') throw error;
        await wait(pollEveryMs, signal);
      }
    }
  }
}
