import { expect, it } from 'vitest';
import { startForTest } from './start-server.js';

it('new links have short codes of the configured length and characters', async () => {
  const api = await startForTest({ codeLength: 4, codeAlphabet: 'readable' });
  const targetUrl = 'https://example.com/';
  const single = await api.call('createUrl', { body: { targetUrl } });
  const upserted = await api.call('upsertUrl', {
    params: { externalId: 'new' },
    body: { targetUrl },
  });
  const bulk = await api.call('bulkCreateUrls', { body: { urls: Array(98).fill({ targetUrl }) } });
  const links = [single.data, upserted.data, ...bulk.data.created];
  expect(new Set(links.map(({ shortCode }) => shortCode)).size).toBe(100);
  for (const { shortCode } of links) expect(shortCode).toMatch(/^[2-9a-hj-km-np-z]{4}$/);
  const visit = await api.visit(`/${single.data.shortCode}`);
  expect(visit.headers.get('location')).toBe(targetUrl);
});
