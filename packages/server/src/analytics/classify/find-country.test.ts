import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  countryCode,
  type FindCountry,
  openCountryDatabase,
  shippedCountryDatabase,
} from './find-country.js';

async function open(
  path = shippedCountryDatabase,
): Promise<{ find: FindCountry; errors: Error[] }> {
  const errors: Error[] = [];
  const { find } = await openCountryDatabase(path, (error) => errors.push(error));
  return { find, errors };
}

let folder: string;
let database: Buffer;
const write = async (name: string, bytes: Uint8Array) => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shorty-country-'));
  database = await readFile(shippedCountryDatabase);
});
afterAll(() => rm(folder, { recursive: true }));

describe('the shipped database', () => {
  it.each([
    ['8.8.8.8', 'US'],
    ['::FFFF:808:808', 'US'],
    ['193.0.6.139', 'NL'],
    ['194.25.0.60', 'DE'],
    ['202.12.29.175', 'AU'],
    ['133.11.0.1', 'JP'],
    ['200.160.2.3', 'BR'],
    ['2001:67c:2e8:22::c100:68b', 'NL'],
    ['2001:4860:4860::8888', 'US'],
    ['::ffff:8.8.8.8', 'US'],
    ['127.0.0.1', 'Unknown'],
    ['10.1.2.3', 'Unknown'],
    ['172.16.5.5', 'Unknown'],
    ['192.168.1.1', 'Unknown'],
    ['203.0.113.1', 'Unknown'],
    ['::1', 'Unknown'],
    ['fe80::1', 'Unknown'],
    ['fe80::1%eth0', 'Unknown'],
    ['2001:db8::1', 'Unknown'],
    ['', 'Unknown'],
    ['8.8.8', 'Unknown'],
    ['134744072', 'Unknown'],
    ['8.8.8.8:443', 'Unknown'],
    ['999.1.1.1', 'Unknown'],
    ['not an address', 'Unknown'],
    [':', 'Unknown'],
    ['::x'.repeat(20_000), 'Unknown'],
  ])('finds the country of %s', async (address, country) => {
    const { find, errors } = await open();
    expect(find(address)).toBe(country);
    expect(errors).toEqual([]);
  });

  it('returns two capital letters or Unknown for any address, without an error', async () => {
    const { find, errors } = await open();
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (address) => {
        expect(find(address)).toMatch(/^(?:[A-Z]{2}|Unknown)$/);
      }),
      { numRuns: 1000 },
    );
    expect(errors).toEqual([]);
  });
});

describe('a database that cannot be read', () => {
  it.each<[string, () => Promise<string>]>([
    ['is missing', async () => join(folder, 'missing.mmdb')],
    ['is a folder', async () => folder],
    ['is empty', () => write('empty.mmdb', new Uint8Array())],
    ['is text', () => write('text.mmdb', Buffer.from('<html>404</html>'.repeat(1000)))],
    ['is all zero', () => write('zero.mmdb', new Uint8Array(100_000))],
    ['is cut in half', () => write('half.mmdb', database.subarray(0, database.length / 2))],
    ['lacks its last byte', () => write('last.mmdb', database.subarray(0, database.length - 1))],
    [
      'lacks its middle',
      () =>
        write(
          'middle.mmdb',
          Buffer.concat([database.subarray(0, 1000), database.subarray(database.length - 1000)]),
        ),
    ],
    [
      'is garbage with the end of a real one',
      () =>
        write(
          'garbage.mmdb',
          Buffer.concat([
            Buffer.alloc(database.length - 1000, 0xa7),
            database.subarray(database.length - 1000),
          ]),
        ),
    ],
  ])('that %s makes all countries Unknown, and is reported once', async (_what, prepare) => {
    const path = await prepare();
    const { find, errors } = await open(path);
    for (const address of ['8.8.8.8', '193.0.6.139', '2001:67c:2e8:22::1', '', 'x']) {
      expect(find(address)).toBe('Unknown');
    }
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain(`country database ${path}: `);
    expect(errors[0]?.message).not.toContain('\n');
  });

  it('never throws and reports at most once, for damaged bytes at any position', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), {
          minLength: 1,
          maxLength: 200,
        }),
        async (damage) => {
          const bytes = Buffer.from(database);
          for (const [place, byte] of damage) {
            bytes[Math.floor(place * (bytes.length - 1))] = byte;
          }
          const { find, errors } = await open(await write('damaged.mmdb', bytes));
          for (let block = 1; block < 256; block += 1) {
            expect(find(`${block}.9.9.9`)).toMatch(/^(?:[A-Z]{2}|Unknown)$/);
          }
          expect(errors.length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe('countryCode', () => {
  it.each([
    ['DE', 'DE'],
    ['de', 'DE'],
    ['XX', 'Unknown'],
    ['ZZ', 'Unknown'],
    ['T1', 'Unknown'],
    ['', 'Unknown'],
    ['DEU', 'Unknown'],
    ['D\u00c9', 'Unknown'],
    ['DE\n', 'Unknown'],
    [['DE'], 'Unknown'],
    [undefined, 'Unknown'],
    [null, 'Unknown'],
    [49, 'Unknown'],
  ])('of %j is %s', (code, country) => {
    expect(countryCode(code)).toBe(country);
  });
});
