import type { UrlCreateRequest } from '@shorty/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { findItemError } from '../src/import/check-item.js';
import { withValue } from '../src/import/failure-report.js';
import { startApiServer } from './api-server.js';

const targetUrl = 'https://example.com/';
const items: Record<string, unknown>[] = [
  {},
  { targetUrl: 'example.com' },
  { targetUrl: 'javascript:alert(1)' },
  { targetUrl: 'https://' },
  { targetUrl: `${targetUrl}${'ü'.repeat(4096)}` },
  { targetUrl, customSlug: 'ab' },
  { targetUrl, customSlug: '-abc' },
  { targetUrl, customSlug: 'a_b' },
  { targetUrl, customSlug: 'x'.repeat(51) },
  { targetUrl, importedCode: 'a_b/~1' },
  { targetUrl, importedCode: 'a b' },
  { targetUrl, importedCode: 'a//b' },
  { targetUrl, importedCode: '/a' },
  { targetUrl, importedCode: 'a/..' },
  { targetUrl, importedCode: '.' },
  { targetUrl, importedCode: 'x'.repeat(101) },
  { targetUrl, importedCreatedAt: '2019-05-06' },
  { targetUrl, importedCreatedAt: '2999-01-01' },
  { targetUrl, importedCreatedAt: '1969-12-31' },
  { targetUrl, importedCreatedAt: 'yesterday' },
  { targetUrl, tags: Array.from({ length: 21 }, String) },
  { targetUrl, redirectType: 303 },
  { targetUrl, expiresAt: '2020-12-31T00:00:00Z' },
  { targetUrl, expiresAt: '2090-06-01' },
  { targetUrl, expiresAt: '2090-06-01T00:00' },
  { targetUrl, expiresAt: '2090-06-01T00:00:00+02' },
  { targetUrl, expiresAt: '2090-13-01T00:00:00Z' },
  { targetUrl, expiresAt: 'tomorrow' },
  { targetUrl, activatesAt: 'soon' },
  { targetUrl, activatesAt: '2090-06-01', expiresAt: '2090-06-01T00:00' },
  { targetUrl, activatesAt: '2090-06-01', expiresAt: '2090-06-02' },
  { targetUrl, expiredUrl: 'example.com' },
  { targetUrl, expiredUrl: `${targetUrl}${'ü'.repeat(4096)}` },
  { targetUrl, maxClicks: 0 },
  { targetUrl, maxClicks: 1_000_000_000_001 },
  { targetUrl, domainId: '7' },
  { targetUrl, isPasswordProtected: true },
];

test('a dry run refuses what the server refuses, in the same words', async () => {
  const server = await startApiServer();
  onTestFinished(() => server.stop());
  const { errors } = await server.client.urls.bulkCreateChunk({
    urls: items as unknown as UrlCreateRequest[],
  });
  const withoutTime = (text?: string) => text?.replace(/now is [^)]+/, 'now');
  const reasons = new Map(errors.map(({ index, error }) => [index, withoutTime(error)]));
  const now = Date.now();
  const reasonOf = (item: Record<string, unknown>) => {
    const error = findItemError(item, now);
    return error === undefined ? undefined : withoutTime(withValue(error, item));
  };
  expect(items.map((item) => [item, reasonOf(item)])).toEqual(
    items.map((item, index) => [item, reasons.get(index)]),
  );
});
