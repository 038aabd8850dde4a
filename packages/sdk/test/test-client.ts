import type { ClientOptions, RetryInfo } from '../src/options.js';
import { DomainsResource } from '../src/resources/domains.js';
import { QrResource } from '../src/resources/qr.js';
import { UrlsResource } from '../src/resources/urls.js';
import { UsageResource } from '../src/resources/usage.js';
import { createTransport } from '../src/send-request.js';
import { readSettings } from '../src/settings.js';
import { FakePorts } from './fake-ports.js';

export const baseUrl = 'https://sho.test';
export const api = `${baseUrl}/api/v1`;

/**
 * Creates a client with fake ports. Each wait before a retry ends immediately, in fake time.
 * `retries` records the waits.
 */
export function createTestClient(
  options: ClientOptions & { clientId?: string; clientSecret?: string; accessToken?: string } = {},
) {
  const ports = new FakePorts();
  const retries: RetryInfo[] = [];
  const credentials = 'clientId' in options ? {} : { accessToken: 'token' };
  const settings = readSettings({
    baseUrl,
    ...credentials,
    ...options,
    hooks: {
      onRetry(info) {
        retries.push(info);
        // The wait starts after this call, in the same turn of the event loop.
        setImmediate(() => ports.advance(info.delayMs));
      },
      ...options.hooks,
    },
  });
  const transport = createTransport(settings, ports);
  return {
    ports,
    retries,
    transport,
    domains: new DomainsResource(transport),
    qr: new QrResource(transport),
    urls: new UrlsResource(transport),
    usage: new UsageResource(transport),
  };
}
