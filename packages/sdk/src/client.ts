import type { ApiPromise } from './api-promise.js';
import type { Method, PathOf, RequestArguments, RequestDataOf, RequestInputOf } from './calls.js';
import { Operations } from './generated/resources.js';
import type { ShortyOptions } from './options.js';
import { type Ports, systemPorts } from './ports.js';
import { AnalyticsResource } from './resources/analytics.js';
import { DomainsResource } from './resources/domains.js';
import { UrlsResource } from './resources/urls.js';
import { createTransport } from './send-request.js';
import { readSettings } from './settings.js';

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
 * const shorty = new Shorty({ baseUrl: 'https://sho.example', apiKey: 'shorty_ak_mZ4c' });
 * const { shortUrl } = await shorty.urls.create({ targetUrl: 'https://example.com' });
 * console.log(shortUrl);
 * ```
 */
export class Shorty extends Operations {
  declare readonly urls: UrlsResource;
  declare readonly analytics: AnalyticsResource;
  declare readonly domains: DomainsResource;

  /** `ports` replaces the clock, in tests of this package. */
  constructor(options: ShortyOptions = {}, ports: Ports = systemPorts) {
    const api = createTransport(readSettings(options), ports);
    super(api);
    this.urls = new UrlsResource(api);
    this.analytics = new AnalyticsResource(api);
    this.domains = new DomainsResource(api);
  }

  /**
   * Sends a request to any path of the server, with the retries, limits and errors of every call. For
   * a path of the contract, input and result are typed. `params` replaces the `{names}` in the path.
   *
   * @example
   * ```ts
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
    return this.api.send(`${method} ${path}`, input, options);
  }
}
