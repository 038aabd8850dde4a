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
  ['url;Notes, links, more', ';'],
  ['Url;"Notes, links";a, b, c\nhttps://example.com/;x;1', ';'],
  ['url,a;b;c;d', ','],
  ['url|a;b;c,d', '|'],
  ['url\ta, b, c', '\t'],
  ['Notes, links, more;Name\na;b\nc;d', ';'],
])('%j is separated by %j', (header, delimiter) => {
  expect(detectDelimiter(header, (title) => /^(url|title)$/i.test(title.trim()))).toBe(delimiter);
});

test.each([
  ['https://example.com/?a,b,c;x\nhttps://example.com/;y', ';'],
  ['https://example.com/?a;b,x\nhttps://example.com/,y', ','],
  ['https://example.com/?a,b\tx\nhttps://example.com/\ty', '\t'],
])('in a file without a header, %j is separated by %j', (text, delimiter) => {
  expect(detectDelimiter(text)).toBe(delimiter);
});

test('in a row of values, | separates tags, not columns', () => {
  expect(detectDelimiter('https://example.com,a|b|c')).toBe(',');
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
