import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.js';

it.each([
  ['slug', 'customSlug'],
  ['targeturl', 'targetUrl'],
  ['tilte', 'title'],
  ['utm_source', 'utmSource'],
  ['expires', 'expiresAt'],
  ['foo', undefined],
  ['x'.repeat(10_000), undefined],
])('%s means %s', (name, meant) => {
  const fields = ['targetUrl', 'customSlug', 'title', 'utmSource', 'utmMedium', 'expiresAt'];
  expect(nearestName(name, fields)).toBe(meant);
});
