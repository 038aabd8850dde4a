import type { ShortyOptions } from './options.js';
import { systemPorts } from './ports.js';
import { AnalyticsResource } from './resources/analytics.js';
import { DomainsResource } from './resources/domains.js';
import { QrResource } from './resources/qr.js';
import { UrlsResource } from './resources/urls.js';
import { UsageResource } from './resources/usage.js';
import { WebhooksResource } from './resources/webhooks.js';
import { Transport } from './send-request.js';
import { readSettings } from './settings.js';

/**
 * A client of one Shorty server. Create one and share it. It does not have to be closed. The
 * constructor sends no request, and throws ShortyConfigError for invalid options.
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
  readonly urls: UrlsResource;
  readonly qr: QrResource;
  readonly webhooks: WebhooksResource;
  readonly domains: DomainsResource;
  readonly analytics: AnalyticsResource;
  readonly usage: UsageResource;

  constructor(options: ShortyOptions) {
    const transport = new Transport(readSettings(options), systemPorts);
    this.urls = new UrlsResource(transport);
    this.qr = new QrResource(transport);
    this.webhooks = new WebhooksResource(transport);
    this.domains = new DomainsResource(transport);
    this.analytics = new AnalyticsResource(transport);
    this.usage = new UsageResource(transport);
  }
}
