import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { PagedList } from '../paginate.js';
import type { Transport } from '../send-request.js';
import type { Domain, DomainCreateRequest, DomainListQuery, DomainPage } from '../types.js';

/** A list of domains: one page when awaited, all when iterated. */
export type DomainList = PagedList<Domain, DomainPage>;

/** Custom domains of links: `shorty.domains`. */
export class DomainsResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Adds a domain, which becomes active when `verify` finds its `txtRecord` in DNS. Rejects with
   * ValidationError for an invalid host name, and with ConflictError if it was added before.
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
    return this.#transport.send({ method: 'POST', path: ['domains'], body }, options);
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
    return new PagedList(query, (page) =>
      this.#transport.send(
        { method: 'GET', path: ['domains'], query: { ...query, ...page } },
        options,
      ),
    );
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
    return this.#transport.send({ method: 'GET', path: ['domains', id] }, options);
  }

  /**
   * Looks up the TXT record and activates the domain. Returns an active domain unchanged. Rejects
   * with ValidationError (`DOMAIN_INVALID`), whose message has the result of DNS, and with
   * ConflictError (`DOMAIN_CONFLICT`) if the hostname is active in another organization.
   *
   * @example
   * ```ts
   * import { Shorty, ValidationError } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * try {
   *   const { id } = await shorty.domains.verify('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   *   await shorty.urls.create({ targetUrl: 'https://example.com', domainId: id });
   * } catch (error) {
   *   if (!(error instanceof ValidationError)) throw error;
   *   console.error(error.message);
   * }
   * ```
   */
  verify(id: string, options?: RequestOptions): ApiPromise<Domain> {
    return this.#transport.send({ method: 'POST', path: ['domains', id, 'verify'] }, options);
  }

  /**
   * Deletes a domain and returns its last state. Rejects with ConflictError while it has active
   * links.
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
    return this.#transport.send({ method: 'DELETE', path: ['domains', id] }, options);
  }
}
