import type { Shorty } from '@shorty/sdk';
import { expect } from 'vitest';

type Send = (target: string) => Promise<string>;

/** Expects a proxy to pass on the longest Location that the server can answer, and its request. */
export async function expectLongestRedirect(shorty: Shorty, direct: Send, proxied: Send) {
  const start = 'https://example.com/';
  const long = '🌷'.repeat(512);
  await shorty.urls.create({
    // In the Location, each of the 8,192 bytes takes three characters.
    targetUrl: start + 'é'.repeat((8_192 - start.length) / 2),
    customSlug: 'longest',
    ...{ utmSource: long, utmMedium: long, utmCampaign: long, utmTerm: long, utmContent: long },
    customUtmParams: Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`${at + 10}${'🌷'.repeat(510)}`, long]),
    ),
    forwardQuery: true,
    forwardPath: true,
  });
  // Caddy escapes other characters of a path, which makes it longer than what Shorty forwards.
  const target = `/longest/${'a'.repeat(8_191)}?${'"'.repeat(8_192)}`;
  const expected = locationOf(await direct(target));
  expect(expected.length).toBeGreaterThan(700_000);
  expect(locationOf(await proxied(target)) === expected).toBe(true);
}

function locationOf(response: string): string {
  expect(response.slice(0, 12)).toBe('HTTP/1.1 307');
  return /\r\nlocation: (.*)\r\n/i.exec(response)?.[1] ?? '';
}
