import { expect, test } from 'vitest';
import { findFileKind } from './file-kind.js';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const zip = (names: string) => bytes(`PK\u0003\u0004\u0014\0\u0006\0${names}`);
const nothing = Buffer.alloc(0);

test.each([
  ['.xlsx', zip('[Content_Types].xml'), 'an Excel workbook; save it as CSV'],
  ['.xls', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), 'an Excel workbook; save it as CSV'],
  [
    '.xml of Excel 2003',
    bytes('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>'),
    'an Excel workbook; save it as CSV',
  ],
  [
    '.ods',
    zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'),
    'an OpenDocument spreadsheet; save it as CSV',
  ],
  ['.numbers', zip('Index/Document.iwa'), 'a Numbers spreadsheet; export it as CSV'],
  ['.zip', zip('links.csv'), 'a ZIP archive; extract it and import the file in it'],
  ['.pdf', bytes('%PDF-1.7\n'), 'a PDF document; export the links as CSV'],
  ['.7z', bytes('7z\xbc\xaf\x27\x1c'), 'compressed with 7-Zip; decompress it first'],
  ['.html', bytes('\xef\xbb\xbf\n <!DOCTYPE html><html>'), 'an HTML page; save it as CSV'],
  ['.xls in HTML', bytes('<table><tr><td>url'), 'an HTML page; save it as CSV'],
  ['.html in UTF-16', Buffer.from('\ufeff<html>', 'utf16le'), 'an HTML page; save it as CSV'],
  ['.xml', bytes('<?xml version="1.0"?><links/>'), 'an XML document; save it as CSV'],
  ['.sqlite', bytes('SQLite format 3\0'), 'an SQLite database; export its table of links as CSV'],
])('%s', (_, start, kind) => {
  expect(findFileKind(start, nothing)).toBe(kind);
});

test('an archive lists its names at its end, too', () => {
  expect(findFileKind(zip('_rels/.rels'), bytes('xl/workbook.xml'))).toContain('Excel');
});

test.each(['url,title', '[{"url":"https://a.example"}]', '', '"<html>",url'])(
  '%j is text',
  (text) => {
    expect(findFileKind(bytes(text), bytes(text))).toBeUndefined();
  },
);
