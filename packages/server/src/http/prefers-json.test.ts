import { describe, expect, it } from 'vitest';
import { prefersJson } from './prefers-json.js';

describe('prefersJson', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['text/html', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['application/json', true],
    ['APPLICATION/JSON', true],
    ['application/json, text/plain, */*', true],
    ['application/json; charset=utf-8', true],
    ['text/html, application/json', true],
    ['text/html, application/json;q=0.9', false],
    ['text/html;q=0.5, application/json ; q=0.9', true],
    ['application/json;q=0', false],
    ['application/json;q=nonsense', false],
    ['application/jsonp', false],
    [',;,', false],
  ])('%j: %s', (accept, expected) => {
    expect(prefersJson(accept)).toBe(expected);
  });

  it('reads the first 1,024 characters', () => {
    expect(prefersJson(`${','.repeat(1008)}application/json`)).toBe(true);
    expect(prefersJson(`${','.repeat(1009)}application/json`)).toBe(false);
  });
});
