import { expect, it } from 'vitest';
import { findBlockedHost, parseHost } from './blocked-hosts.js';

const blocked = new Set(['evil.example.com', '192.0.2.7']);

it.each([
  ['https://com/', undefined],
  ['http://192.0.2.7:8080/', '192.0.2.7'],
  ['http://3221225991/', '192.0.2.7'],
  ['http://[2001:db8::1]/', undefined],
])('%s leads to the blocked host %s', (targetUrl, expected) => {
  expect(findBlockedHost(blocked, targetUrl)).toBe(expected);
});

it.each([
  ['B\u00fccher.Example.', 'xn--bcher-kva.example'],
  ['[2001:DB8::1]', '[2001:db8::1]'],
  ['*', undefined],
  ['*.example.com', undefined],
  ['example.com:443', undefined],
  ['https://example.com', undefined],
  ['', undefined],
])('%j is the host %s', (text, expected) => {
  expect(parseHost(text)).toBe(expected);
});
