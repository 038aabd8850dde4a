import { expect, test } from 'vitest';
import { withValue } from './failure-report.js';

const item = {
  customSlug: 'a_b',
  targetUrl: `https://example.com/${'x'.repeat(100)}`,
  redirectType: 303,
  password: 'secret',
  tags: ['a'],
};

test.each([
  ['customSlug must be free', 'customSlug is "a_b": it must be free'],
  ['redirectType must be 301 or 302', 'redirectType is 303: it must be 301 or 302'],
  [
    'targetUrl must be short',
    `targetUrl is "https://example.com/${'x'.repeat(80)}…": it must be short`,
  ],
  ['password must be long', 'password must be long'],
  ['tags must be few', 'tags must be few'],
  ['title must be short', 'title must be short'],
  ['customSlug "a_b" is taken', 'customSlug "a_b" is taken'],
])('the message %j names the value', (message, expected) => {
  expect(withValue(message, item)).toBe(expected);
  expect(withValue(message, undefined)).toBe(message);
});
