import type { ApiPromise } from './api-promise.js';
import type { Method, PathOf, RequestArguments, RequestDataOf, RequestInputOf } from './calls.js';
import type { RequestOptions, ShortyOptions } from './options.js';
import type { PagedList } from './paginate.js';
import { systemPorts } from './ports.js';
import { AnalyticsResource } from './resources/analytics.js';
import { ApiKeysResource } from './resources/api-keys.js';
import { DomainsResource } from './resources/domains.js';
import { EventsResource } from './resources/events.js';
import { OrganizationResource } from './resources/organization.js';
import { QrResource } from './resources/qr.js';
import { TagsResource } from './resources/tags.js';
import { UrlsResource } from './resources/urls.js';
import { UsageResource } from './resources/usage.js';
import { WebhooksResource } from './resources/webhooks.js';
import { type AnyTransport, createTransport, type Transport } from './send-request.js';
import { readSettings } from './settings.js';
import type { AuditEntry, AuditPage, AuditQuery, Me } from './types.js';

/** The audit log: one page when awaited, all entries when iterated. */
export interface AuditList extends PagedList<AuditEntry, AuditPage> {}

/**
 * A client of one Shorty server. Create one and share it. It does not have to be closed. The
 * constructor sends no request, and throws ShortyConfigError for invalid options.
 *
 * Every call can reject with AuthenticationError, PermissionError, RateLimitError, ServerError,
 * ConnectionError and TimeoutError. The comment of a method names its further errors.
 *
 * @example
 * ```ts
 * import { Shorty } from '@shorty/sdk';
 *
 * const shorty = new Shorty({
 *   baseUrl: 'https://sho.example',
 *   clientId: 'shorty_ci_0f3b',
 *   clientSecret: 'shorty_cs_2c81',
 * });
 * const { shortUrl } = await shorty.urls.create({ targetUrl: 'https://example.com' });
 * console.log(shortUrl);
 * ```
 */
export class Shorty {
  declare readonly urls: UrlsResource;
  declare readonly tags: TagsResource;
  declare readonly qr: QrResource;
  declare readonly webhooks: WebhooksResource;
  declare readonly events: EventsResource;
  declare readonly domains: DomainsResource;
  declare readonly analytics: AnalyticsResource;
  declare readonly usage: UsageResource;
  declare readonly apiKeys: ApiKeysResource;
  declare readonly organization: OrganizationResource;

  readonly #transport: Transport;

  constructor(options: ShortyOptions = {}) {
    const transport = createTransport(readSettings(options), systemPorts);
    this.#transport = transport;
    this.urls = new UrlsResource(transport);
    this.tags = new TagsResource(transport);
    this.qr = new QrResource(transport);
    this.webhooks = new WebhooksResource(transport);
    this.events = new EventsResource(transport);
    this.domains = new DomainsResource(transport);
    this.analytics = new AnalyticsResource(transport);
    this.usage = new UsageResource(transport);
    this.apiKeys = new ApiKeysResource(transport);
    this.organization = new OrganizationResource(transport);
  }

  /**
   * Reads the organization of the caller, its plan, and the scopes of the token or API key. Rejects with
   * AuthenticationError if the credentials are invalid.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const { organization, scopes } = await new Shorty().me();
   * console.log(organization.name, organization.plan, scopes);
   * ```
   */
  me(options?: RequestOptions): ApiPromise<Me> {
    return this.#transport.send('GET /api/v1/me', {}, options);
  }

  /**
   * Lists who changed the records of the organization, newest first: one page when awaited, all entries
   * when iterated. Rejects with PermissionError without the scope keys:write.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty();
   * for await (const { actor, operation, resource } of shorty.audit({ since: '2030-01-01' })) {
   *   console.log(actor.id, operation, resource.id);
   * }
   * ```
   */
  audit(query: AuditQuery = {}, options?: RequestOptions): AuditList {
    return this.#transport.list('GET /api/v1/audit', { query }, options);
  }

  /**
   * Sends a request to any path of the server, with the retries, limits and errors of every call. For
   * a path of the contract, input and result are typed. `params` replaces the `{names}` in the path.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const url = await shorty.request('GET', '/api/v1/urls/{id}', { params: { id: '42' } });
   * const page = await shorty.request('GET', '/api/v1/urls', { query: { limit: 5 } });
   * console.log(url.shortUrl, page.total);
   * ```
   */
  request<M extends Method, Path extends PathOf<M> | (`/${string}` & {})>(
    method: M,
    path: Path,
    ...[input, options]: RequestArguments<RequestInputOf<M, Path>>
  ): ApiPromise<RequestDataOf<M, Path>> {
    return (this.#transport as AnyTransport).send(`${method} ${path}`, input, options);
  }
}
