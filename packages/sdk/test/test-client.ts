import { Shorty } from '../src/client.js';
import type { RetryInfo, ShortyOptions } from '../src/options.js';
import { createTransport } from '../src/send-request.js';
import { readSettings } from '../src/settings.js';
import { FakePorts } from './fake-ports.js';

export const baseUrl = 'https://sho.test';
export const api = `${baseUrl}/api/v1`;

/**
 * Creates a client with fake ports. Each wait before a retry ends immediately, in fake time.
 * `retries` records the waits.
 */
export function createTestClient(options: ShortyOptions = {}) {
  const ports = new FakePorts();
  const retries: RetryInfo[] = [];
  const credentials = 'clientId' in options ? {} : { accessToken: 'token' };
  const all = {
    baseUrl,
    ...credentials,
    ...options,
    hooks: {
      onRetry(info: RetryInfo) {
        retries.push(info);
        // The wait starts after this call, in the same turn of the event loop.
        setImmediate(() => ports.advance(info.delayMs));
      },
      ...options.hooks,
    },
  };
  const { urls, qr, usage, domains } = new Shorty(all, ports);
  const transport = createTransport(readSettings(all), ports);
  return { ports, retries, transport, urls, qr, usage, domains };
}
