import { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type {
  Domain,
  DomainCreateRequest,
  DomainListQuery,
  DomainPage,
  DomainUpdateRequest,
} from '../types.js';
import { Resource } from './resource.js';

/** A list of domains: one page when awaited, all when iterated. */
export interface DomainList extends PagedList<Domain, DomainPage> {}

/** Options of a verification. */
export interface VerifyOptions extends RequestOptions {
  /** Repeats the verification every 15 seconds while DNS lacks the record. */
  wait?: boolean | undefined;
}

/** Custom domains of links: `shorty.domains`. */
export class DomainsResource extends Resource {
  /**
   * Adds a domain, which becomes active when `verify` finds its `txtRecord` in DNS. Rejects with
   * ValidationError for an invalid host name, with ConflictError if the organization has added it
   * before, and with QuotaExceededError if the organization has 1,000 domains.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { id, txtRecord } = await shorty.domains.create({ hostname: 'go.example.com' });
   * console.log(`${id}: set ${txtRecord.name} TXT ${txtRecord.value}`);
   * ```
   */
  create(body: DomainCreateRequest, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.send('POST /api/v1/domains', { body }, options);
  }

  /**
   * Lists domains, newest first: one page when awaited, all of them when iterated.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const pending = shorty.domains.list({ isActive: false });
   * for await (const { hostname, lastError } of pending) console.log(hostname, lastError);
   * ```
   */
  list(query: DomainListQuery = {}, options?: RequestOptions): DomainList {
    return this.api.list('GET /api/v1/domains', { query }, options);
  }

  /**
   * Reads a domain. Rejects with NotFoundError if the organization has no domain with this id.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { hostname, isActive } = await shorty.domains.get('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * console.log(hostname, isActive);
   * ```
   */
  get(id: string, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.send('GET /api/v1/domains/{id}', { params: { id } }, options);
  }

  /**
   * Changes settings of a domain; null clears one. Rejects with ValidationError for a URL on this server,
   * and with NotFoundError.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { rootUrl } = await shorty.domains.update('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47', {
   *   rootUrl: 'https://www.example.com/',
   *   ignoreCase: true,
   * });
   * console.log(rootUrl);
   * ```
   */
  update(id: string, body: DomainUpdateRequest, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.send('PATCH /api/v1/domains/{id}', { params: { id }, body }, options);
  }

  /**
   * Deletes a domain and returns its last state. Rejects with NotFoundError, and with ConflictError
   * while it has active links.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { hostname } = await shorty.domains.delete('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * console.log(hostname);
   * ```
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.send('DELETE /api/v1/domains/{id}', { params: { id } }, options);
  }

  /**
   * Looks up the TXT record and activates the domain. Returns an active domain unchanged. Rejects with
   * ValidationError (`DOMAIN_INVALID`) if DNS lacks the record; the message has the records in DNS.
   * Rejects with ConflictError (`DOMAIN_CONFLICT`) if the hostname is active in another organization,
   * and with NotFoundError.
   *
   * With `wait`, it repeats the verification while DNS lacks the record, until `deadlineMs` (30 minutes
   * by default).
   *
   * @example
   * ```ts
   * import { Shorty, ValidationError } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * try {
   *   const { id } = await shorty.domains.verify('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47', {
   *     wait: true,
   *   });
   *   await shorty.urls.create({ targetUrl: 'https://example.com', domainId: id });
   * } catch (error) {
   *   if (!(error instanceof ValidationError)) throw error;
   *   console.error(error.message);
   * }
   * ```
   */
  verify(id: string, { wait, ...options }: VerifyOptions = {}): ApiPromise<Domain> {
    if (!wait)
      return this.api.send('POST /api/v1/domains/{id}/verify', { params: { id } }, options);
    return new ApiPromise(
      import('../poll.js').then((poll) => poll.pollVerification(this.api, id, options)),
    );
  }
}
