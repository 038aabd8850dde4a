import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.js';

const names = ['targetUrl', 'title', 'tags', 'customSlug', 'expiresAt'];

test.each([
  ['tilte', 'title'],
  ['titel', 'title'],
  ['Title', 'title'],
  ['tag', 'tags'],
  ['target_url', 'targetUrl'],
  ['targetulr', 'targetUrl'],
  ['customSlg', 'customSlug'],
  ['expires', 'expiresAt'],
  ['notes', undefined],
  ['x', undefined],
  ['', undefined],
])('%j: %s', (typed, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});
