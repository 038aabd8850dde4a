import { expect, test } from 'vitest';
import { proposeUrl } from './parse-url.js';

test.each([
  ['example.com', 'https://example.com'],
  ['example.com/path?a=b#c', 'https://example.com/path?a=b#c'],
  ['bücher.example', 'https://bücher.example'],
  ['localhost:4120', 'http://localhost:4120'],
  ['127.0.0.1:3000/x', 'http://127.0.0.1:3000/x'],
  ['[::1]:3000', 'http://[::1]:3000'],
  ['printer.local', 'http://printer.local'],
  ['https://example.com', undefined],
  ['ftp://example.com', undefined],
  ['example', undefined],
  ['not a host.com', undefined],
  ['', undefined],
])('%j: %j', (text, proposal) => {
  expect(proposeUrl(text)).toBe(proposal);
});
