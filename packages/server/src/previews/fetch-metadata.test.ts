import { expect, it } from 'vitest';
import { decodePage, mediaTypeOf } from './fetch-metadata.js';

const euro = 'Preis: 5 €, schön';
const utf8 = Buffer.from(euro);
const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(euro, 'utf16le')]);
const shiftJis = Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]);
const html = (head: string, bytes: Buffer) => Buffer.concat([Buffer.from(head), bytes]);

it.each<[what: string, bytes: Buffer, contentType: string, text: string]>([
  ['UTF-8 without a declaration', utf8, 'text/html', euro],
  ['a byte order mark before the header', utf16, 'text/html; charset=utf-8', euro],
  ['a charset of the header', shiftJis, 'text/html;charset=Shift_JIS', 'テスト'],
  [
    'a meta element',
    html('<meta charset=shift_jis>', shiftJis),
    'text/html',
    '<meta charset=shift_jis>テスト',
  ],
  [
    'a meta element in a comment',
    html('<!-- <meta charset=shift_jis> -->', utf8),
    'text/html',
    `<!-- <meta charset=shift_jis> -->${euro}`,
  ],
  [
    'a character that is cut off',
    utf8.subarray(0, utf8.indexOf(0xe2) + 2),
    'text/html',
    'Preis: 5 ',
  ],
  ['nothing', Buffer.alloc(0), '', ''],
])('decodes %s', (_, bytes, contentType, text) => {
  expect(decodePage(bytes, contentType)).toBe(text);
});

it.each([
  ['Text/HTML; charset=utf-8', 'text/html'],
  ['application/xhtml+xml', 'application/xhtml+xml'],
  ['', undefined],
  ['html', undefined],
])('the media type of %j is %j', (header, type) => {
  expect(mediaTypeOf(header)).toBe(type);
});
