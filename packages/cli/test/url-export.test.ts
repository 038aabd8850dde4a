import { mkdir } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterEach, expect, test } from 'vitest';
import { recordsOf } from './built-shorty.js';
import { FaultyFetch } from './faulty-fetch.js';
import { startSignedInShorty } from './signed-in-shorty.js';

const links = 500;
const { server, shorty } = await startSignedInShorty();
const faults = new FaultyFetch((path) => path.startsWith('/api/v1/urls?'));
const { fetch } = faults;
afterEach(() => {
  faults.keys.length = 0;
});
// Long enough for several pages.
const description = 'd'.repeat(5_000);
const { created } = await server.client.urls.bulkCreate(
  Array.from({ length: links }, (_, at) => ({
    targetUrl: `https://example.com/${at}`,
    description,
  })),
);
const ids = created.map(({ id }) => id).sort();

const idsOf = (csv: string) =>
  parse<{ id: string }>(csv, { columns: true })
    .map(({ id }) => id)
    .sort();

test.each(['lose response', 'cut response', 'unavailable'] as const)(
  'an export continues after a fault in the middle: %s',
  async (fault) => {
    faults.decide = (index) => (index === 1 || index === 3 ? fault : 'pass');
    const { code, stderr } = await shorty.run('urls export --out links.csv', { fetch });
    expect([code, stderr]).toEqual([0, `${links} links written to links.csv\n`]);
    expect(idsOf(await shorty.read('links.csv'))).toEqual(ids);
    // Five pages, and two of them again.
    expect(faults.keys).toHaveLength(7);
  },
);

test.each(['ndjson', 'json'] as const)('an export as %s has all records', async (format) => {
  faults.decide = (index) => (index === 1 ? 'cut response' : 'pass');
  const { code, stdout } = await shorty.run(['urls', 'export', '--output', format], { fetch });
  expect(code).toBe(0);
  const records = format === 'json' ? JSON.parse(stdout).items : recordsOf(stdout);
  expect(records).toEqual(
    await server.client.urls.list({ view: 'full' }).toArray({ limit: links }),
  );
  // Five pages, and one of them again.
  expect(faults.keys).toHaveLength(6);
});

test('an export as JSON without a link is a document, and escapes what controls a terminal', async () => {
  // The extension selects the format.
  await shorty.run('urls export --out none.json --search nowhere');
  expect(JSON.parse(await shorty.read('none.json'))).toEqual({ items: [] });
  const link = { targetUrl: 'https://example.com/controls', customUtmParams: { 'a\u202eb': 'x' } };
  await server.client.urls.create(link);
  const { stdout } = await shorty.run('urls export -o ndjson --search controls');
  expect(stdout).toContain(String.raw`{"a\u202eb":"x"}`);
});

test('an export that ends in the middle leaves the earlier file as it was, and no other file', async () => {
  await mkdir(shorty.path('failed'));
  await shorty.write('failed/links.csv', 'earlier\n');
  const args = 'urls export --out failed/links.csv';
  faults.decide = (index) => (index === 0 ? 'pass' : 'cut response');
  await shorty.exits(1, '/api/v1/urls', args, { fetch });
  faults.keys.length = 0;
  faults.decide = (index) => (index === 0 ? 'pass' : 'hold');
  const interruption = new AbortController();
  const exporting = shorty.run(args, { fetch, interrupt: interruption.signal });
  await faults.held;
  interruption.abort();
  expect(await exporting).toMatchObject({ code: 130, stderr: 'shorty: interrupted\n' });
  expect(await shorty.read('failed/links.csv')).toBe('earlier\n');
  expect(await shorty.files('failed')).toEqual(['links.csv']);
});
