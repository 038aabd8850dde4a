import { expect, it } from 'vitest';
import { prefersJson } from './parse-accept.js';

it.each([
  [undefined, false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ['application/json', true],
  ['application/json, text/plain, */*', true],
  ['text/html, application/json', true],
  ['text/html, application/json;q=0.9', false],
  ['text/html;q=0.5, application/json ; q=0.9', true],
  ['application/json;q=0', false],
  [',;,', false],
])('prefersJson %j: %s', (accept, expected) => {
  expect(prefersJson(accept)).toBe(expected);
});
