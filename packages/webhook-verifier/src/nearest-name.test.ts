import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.js';

const fields = ['targetUrl', 'customSlug', 'title', 'tags', 'utmSource', 'utmMedium', 'expiresAt'];

it.each([
  ['slug', 'customSlug'],
  ['customSlg', 'customSlug'],
  ['targeturl', 'targetUrl'],
  ['target_url', 'targetUrl'],
  ['targetulr', 'targetUrl'],
  ['tilte', 'title'],
  ['titel', 'title'],
  ['tag', 'tags'],
  ['utm_source', 'utmSource'],
  ['expires', 'expiresAt'],
  ['notes', undefined],
  ['urlMedia', undefined],
  ['x', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%s means %s', (name, meant) => {
  expect(nearestName(name, fields)).toBe(meant);
});
