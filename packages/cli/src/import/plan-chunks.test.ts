import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planColumns } from './column-plan.js';
import { CsvReader } from './csv-reader.js';
import {
  type ChunkRequest,
  chunkKey,
  type ImportFacts,
  importIdentity,
} from './import-identity.js';
import { type ImportChunk, planChunks, type RecordBatch } from './plan-chunks.js';
import { createFields } from './url-fields.js';

const plan = planColumns(['url', 'title'], createFields, { map: new Map(), ignore: new Set() });

/** Chunks of a file that is read in pieces of a size. */
async function chunksOf(text: string, pieceChars = text.length): Promise<ImportChunk[]> {
  async function* batches(): AsyncGenerator<RecordBatch> {
    const reader = new CsvReader(',');
    for (let at = 0; at < text.length; at += pieceChars) {
      const bytesRead = Math.min(text.length, at + pieceChars);
      const piece = text.slice(at, at + pieceChars);
      yield { records: reader.push(piece), chars: piece.length, bytesRead };
    }
    yield { records: reader.finish(), chars: 0, bytesRead: text.length };
  }
  const chunks: ImportChunk[] = [];
  for await (const chunk of planChunks(batches(), plan)) chunks.push(chunk);
  return chunks;
}

const good = (index: number) => `https://example.com/${index},t\n`;
const rowsOf = (count: number) => Array.from({ length: count }, (_, i) => good(i)).join('');

describe('grouping', () => {
  test.each([
    [0, []],
    [1, [1]],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])('%i rows', async (count, sizes) => {
    const chunks = await chunksOf(rowsOf(count));
    expect(chunks.map(({ rows }) => rows.length)).toEqual(sizes);
    expect(chunks.map(({ index }) => index)).toEqual(sizes.map((_, index) => index));
  });

  test('invalid rows are part of the chunk and do not count as items', async () => {
    const chunks = await chunksOf(`a,b,c\n${rowsOf(100)}a,b,c\n`);
    expect(chunks.map(({ rows }) => rows.length)).toEqual([101, 1]);
    expect(chunks[1]?.rows[0]).toMatchObject({ index: 101, line: 102, raw: 'a,b,c' });
  });

  test('a file of invalid rows has chunks of limited size', async () => {
    const chunks = await chunksOf('a,b,c\n'.repeat(1200));
    expect(chunks.map(({ rows }) => rows.length)).toEqual([500, 500, 200]);
  });

  test('no request is larger than 1 MB, and a larger row is an error', async () => {
    const wide = (chars: number) => `https://example.com,${'x'.repeat(chars)}\n`;
    const chunks = await chunksOf(wide(400_000).repeat(5) + wide(1_000_001) + good(1));
    expect(chunks.map(({ rows }) => rows.length)).toEqual([2, 2, 3]);
    expect(chunks[2]?.rows[1]).toMatchObject({ error: 'the row is larger than 1 MB' });
    for (const { rows } of chunks) {
      const items = rows.flatMap(({ item }) => (item ? [item] : []));
      expect(JSON.stringify({ urls: items }).length).toBeLessThan(1024 * 1024);
    }
  });

  test.each([10, 700, 100_000])(
    'reports its position when it is read in blocks of %i',
    async (pieceChars) => {
      const text = rowsOf(1000);
      const chunks = await chunksOf(text, pieceChars);
      const reached = chunks.map(({ bytesRead }) => bytesRead);
      expect(reached).toEqual([...reached].sort((a, b) => a - b));
      expect(reached.at(-1)).toBe(text.length);
      expect(Math.abs((reached[4] ?? 0) - text.length / 2)).toBeLessThan(text.length / 20);
    },
  );

  test('depends on the file only, with any block boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(good(1), 'a,b,c\n', '"open\n', `${'y'.repeat(3000)},t\n`), {
          maxLength: 600,
          size: 'max',
        }),
        fc.integer({ min: 1, max: 5000 }),
        async (rows, pieceChars) => {
          const strip = (chunks: ImportChunk[]) =>
            chunks.map(({ bytesRead: _, ...chunk }) => chunk);
          const text = rows.join('');
          expect(strip(await chunksOf(text, pieceChars))).toEqual(strip(await chunksOf(text)));
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('keys', () => {
  const facts: ImportFacts = {
    sha256: 'f0',
    baseUrl: 'https://links.example.com',
    account: 'client',
    encoding: 'utf-8',
    delimiter: ',',
    hasHeader: true,
    map: new Map([
      ['a', 'title'],
      ['b', 'url'],
    ]),
    ignore: new Set(['x', 'y']),
  };

  test('the identity does not depend on the order of the options', () => {
    const reordered = {
      ...facts,
      map: new Map([...facts.map].reverse()),
      ignore: new Set(['y', 'x']),
    };
    expect(importIdentity(reordered)).toBe(importIdentity(facts));
  });

  test.each([
    [{ sha256: 'f1' }],
    [{ baseUrl: 'https://other.example.com' }],
    [{ account: 'other' }],
    [{ encoding: 'utf-16le' }],
    [{ delimiter: ';' }],
    [{ hasHeader: false }],
    [{ map: new Map([['a', 'title']]) }],
    [{ ignore: 'all' as const }],
  ])('another one has another: %j', (change) => {
    expect(importIdentity({ ...facts, ...change })).not.toBe(importIdentity(facts));
  });

  test('each request has a separate key, and the seed changes all keys', () => {
    const first: ChunkRequest = { seed: '', index: 0, payload: 'p', attempt: 0, rows: [0, 1] };
    const keys = [
      chunkKey('id', first),
      chunkKey('id', { ...first, index: 1 }),
      chunkKey('id', { ...first, payload: 'q' }),
      chunkKey('id', { ...first, seed: 'seed' }),
      chunkKey('id', { ...first, attempt: 1 }),
      chunkKey('id', { ...first, attempt: 1, rows: [1] }),
      chunkKey('id', { ...first, attempt: 2 }),
      chunkKey('other', first),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(chunkKey('id', { ...first })).toBe(keys[0]);
    for (const key of keys) expect(key).toMatch(/^[\da-f]{64}$/);
  });
});
