import { expect, test } from 'vitest';
import { detectDelimiter, parseDelimiter } from './csv-delimiter.js';

test.each([
  ['url,title', ','],
  ['url;title\nhttps://example.com/?a,b,c,d;x', ';'],
  ['url\ttitle', '\t'],
  ['url', ','],
  ['', ','],
  ['\n \nurl;title', ';'],
  ['"a,b,c";title', ';'],
  ['"a\n,,,";title', ';'],
  ['a,b;c;d', ';'],
])('%j is separated by %j', (header, delimiter) => {
  expect(detectDelimiter(header)).toBe(delimiter);
});

test.each([
  ['tab', '\t'],
  ['\\t', '\t'],
  ['Semicolon', ';'],
  ['pipe', '|'],
  ['^', '^'],
])('--delimiter %s', (text, delimiter) => {
  expect(parseDelimiter(text)).toBe(delimiter);
});

test.each(['', 'ab', '"', '\n'])('--delimiter %j is rejected', (text) => {
  expect(() => parseDelimiter(text)).toThrow('must be one character');
});
