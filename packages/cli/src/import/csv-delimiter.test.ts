import { expect, test } from 'vitest';
import { delimiterName, detectDelimiter, parseDelimiter, readSepLine } from './csv-delimiter.js';

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
  ['url|title', '|'],
])('%j is separated by %j', (header, delimiter) => {
  expect(detectDelimiter(header, { hasHeader: true })).toBe(delimiter);
});

test('in a row of values, | separates tags, not columns', () => {
  expect(detectDelimiter('https://example.com,a|b|c', { hasHeader: false })).toBe(',');
});

test.each([
  ['sep=;\r\nurl;title', ';'],
  ['SEP=,\nurl', ','],
  ['"sep=|"\nurl', '|'],
  ['sep=\t\nurl', '\t'],
  ['sep=;title\n', undefined],
  ['sep=', undefined],
  ['url\nsep=;\n', undefined],
])('the first line of %j names the delimiter %j', (text, delimiter) => {
  expect(readSepLine(text)).toBe(delimiter);
});

test.each([
  ['\t', 'tab'],
  [';', 'semicolon'],
  ['|', 'pipe'],
  ['^', '"^"'],
])('%j has the name %s', (delimiter, name) => {
  expect(delimiterName(delimiter)).toBe(name);
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
