import { expect, it } from 'vitest';
import { parseLanguage } from './describe-visit.js';

it.each([
  ['de-DE,de;q=0.9,en;q=0.8', 'de'],
  ['EN', 'en'],
  ['fil;q=1', 'fil'],
  [' zh-Hant-TW', 'zh'],
  ['*', null],
  ['english', null],
  ['', null],
  [undefined, null],
])('the language of Accept-Language %j is %j', (header, language) => {
  expect(parseLanguage(header)).toBe(language);
});
