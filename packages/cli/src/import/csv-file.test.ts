import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CsvFile, type CsvOptions, inspectCsv } from './csv-file.js';
import { openInput } from './import-input.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shorty-csv-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function withCsv<T>(
  bytes: Buffer,
  options: CsvOptions,
  use: (csv: CsvFile) => Promise<T>,
): Promise<T> {
  const path = join(folder, 'links.csv');
  await writeFile(path, bytes);
  const io = { stdin: new PassThrough(), interrupt: new AbortController().signal };
  const input = await openInput(path, io);
  try {
    return await use(await inspectCsv(input, options));
  } finally {
    await input.close();
  }
}

async function cellsOf(csv: CsvFile): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const { records } of csv.records()) for (const { cells } of records) rows.push(cells);
  return rows;
}

function encode(text: string, encoding: string): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8 with a mark':
      return Buffer.from(`\u{feff}${text}`);
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16le with a mark':
      return Buffer.from(`\u{feff}${text}`, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    default:
      return Buffer.from(`\u{feff}${text}`, 'utf16le').swap16();
  }
}

describe.each([
  ['utf-8', 'utf-8', []],
  ['utf-8 with a mark', 'utf-8', []],
  ['utf-16le', 'utf-16le', ['as utf-16le (by its zero bytes)']],
  ['utf-16le with a mark', 'utf-16le', ['as utf-16le (by its byte order mark)']],
  ['utf-16be', 'utf-16be', ['as utf-16be (by its zero bytes)']],
  ['utf-16be with a mark', 'utf-16be', ['as utf-16be (by its byte order mark)']],
])('%s', (spelling, label, notes) => {
  test('any table with an ASCII header reads back unchanged', async () => {
    const text = fc.string({
      unit: fc.constantFrom('x', '"', ',', ';', '\n', '\r', 'ß', '日', '🎈'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text), { maxLength: 20 }),
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        async (rows, delimiter, lineEnd) => {
          // UTF-16 without a mark is told by its zeros, so most of the file must be ASCII.
          const table = [
            ['targetUrl', 'title'],
            ...rows.map(([a, b], i) => [`https://example.com/a/longer/path/to/see/${i}`, a + b]),
          ];
          const content = stringify(table, { delimiter, record_delimiter: lineEnd, quoted: true });
          await withCsv(encode(content, spelling), {}, async (csv) => {
            expect(csv).toMatchObject({ encoding: label, delimiter, lineEnd });
            expect(await cellsOf(csv)).toEqual(table);
            // And once more from the start.
            expect(await cellsOf(csv)).toEqual(table);
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  test('detected properties are reported', async () => {
    await withCsv(encode('url,title\nhttps://example.com,x\n', spelling), {}, async (csv) => {
      expect(csv.notes).toEqual(notes.map((note) => expect.stringContaining(note)));
      expect(csv.hasByteOrderMark).toBe(spelling.includes('mark'));
    });
  });
});

test('text that is not UTF-8 is read as windows-1252 with a note', async () => {
  const bytes = Buffer.from('url,title\nx,Gr\xfc\xdfe \x80\n', 'latin1');
  await withCsv(bytes, {}, async (csv) => {
    expect(csv.notes).toEqual([
      expect.stringMatching(/as windows-1252 \(it is not UTF-8\); use --encoding to change it$/),
    ]);
    expect(await cellsOf(csv)).toEqual([
      ['url', 'title'],
      ['x', 'Grüße €'],
    ]);
  });
});

test('an invalid byte at the end of a large file is detected before reading', async () => {
  const bytes = Buffer.concat([Buffer.from('url\n'.repeat(100_000)), Buffer.from([0xe4])]);
  await withCsv(bytes, {}, async (csv) => expect(csv.encoding).toBe('windows-1252'));
});

test('--encoding disables the detection and its note', async () => {
  const bytes = Buffer.from([...Buffer.from('url\n'), 0xa4, 0x0a]);
  await withCsv(bytes, { encoding: 'iso-8859-15' }, async (csv) => {
    expect([csv.notes, await cellsOf(csv)]).toEqual([[], [['url'], ['€']]]);
  });
});

test('bytes that are invalid in the encoding are an error, not replacement characters', async () => {
  const bytes = Buffer.from('url\nGr\xfc\xdfe\n', 'latin1');
  const reading = withCsv(bytes, { encoding: 'utf-8' }, cellsOf);
  await expect(reading).rejects.toMatchObject({ code: 'ENCODING' });
});

test('the line end is detected when a block splits it', async () => {
  const title = 'x'.repeat(64 * 1024 - 'url,'.length - 1);
  await withCsv(Buffer.from(`url,${title}\r\na,b\r\n`), {}, async (csv) => {
    expect([csv.lineEnd, (await cellsOf(csv)).length]).toEqual(['\r\n', 2]);
  });
});

test('a binary file is rejected', async () => {
  await withCsv(Buffer.alloc(6 * 1024 * 1024, 'x'), {}, async (csv) => {
    await expect(cellsOf(csv)).rejects.toMatchObject({ code: 'OVERLONG_LINE' });
  });
});

test('equal bytes have equal digests', async () => {
  const digest = (text: string) => withCsv(Buffer.from(text), {}, async (csv) => csv.sha256);
  expect(await digest('url\na\n')).toBe(await digest('url\na\n'));
  expect(await digest('url\na\n')).not.toBe(await digest('url\nb\n'));
});

test('UTF-16 without a mark is known by its header, whatever the script of the cells', () =>
  withCsv(
    Buffer.from(`url,title\n${'https://a.example,'}${'ж'.repeat(900)}\n`, 'utf16le'),
    {},
    async (csv) => expect(csv.encoding).toBe('utf-16le'),
  ));

test('a file with zero bytes that is no UTF-16 is refused', async () => {
  const use = () => withCsv(Buffer.from('url,title\0\0\n\u0001'), {}, async () => {});
  await expect(use()).rejects.toThrow('links.csv is not a text file; export the links as CSV');
});

test('an Excel workbook is refused, also in gzip', async () => {
  const workbook = Buffer.from('PK\u0003\u0004\u0014\0\u0006\0[Content_Types].xml');
  for (const bytes of [workbook, gzipSync(workbook)]) {
    await expect(withCsv(bytes, {}, async () => {})).rejects.toThrow(
      'links.csv is an Excel workbook; save it as CSV',
    );
  }
});
