import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toMmdb } from '../../../test/analytics/to-mmdb.js';
import { type FindPlace, openCountryDatabase, shippedCountryDatabase } from './country-database.js';

async function open(
  path = shippedCountryDatabase,
): Promise<{ find: (address: string) => string; findPlace: FindPlace; errors: Error[] }> {
  const errors: Error[] = [];
  const { find } = await openCountryDatabase(path, (error) => errors.push(error));
  return { find: (address) => find(address).country, findPlace: find, errors };
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

it.each([
  ['8.8.8.8', 'US'],
  ['194.25.0.60', 'DE'],
  ['2001:67c:2e8:22::c100:68b', 'NL'],
  ['10.1.2.3', 'Unknown'],
  ['::1', 'Unknown'],
  ['', 'Unknown'],
  ['not an address', 'Unknown'],
  ['::x'.repeat(20_000), 'Unknown'],
])('the shipped database finds the country of %s', async (address, country) => {
  const { find, errors } = await open();
  expect(find(address)).toBe(country);
  expect(errors).toEqual([]);
});

it.each<[string, () => Promise<string>]>([
  ['is missing', async () => join(folder, 'missing.mmdb')],
  ['is text', () => write('text.mmdb', Buffer.from('<html>404</html>'.repeat(1000)))],
  ['is cut in half', () => write('half.mmdb', database.subarray(0, database.length / 2))],
])(
  'a database that cannot be read that %s makes all countries Unknown, and is reported once',
  async (_what, prepare) => {
    const path = await prepare();
    const { find, errors } = await open(path);
    for (const address of ['8.8.8.8', '193.0.6.139', '2001:67c:2e8:22::1', '', 'x']) {
      expect(find(address)).toBe('Unknown');
    }
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain(`country database ${path}: `);
    expect(errors[0]?.message).toMatch(/ENOENT|EISDIR|MaxMind's format \(.+\): download it again$/);
    expect(errors[0]?.message).not.toContain('\n');
  },
);

const names = (en: string) => ({ names: { de: 'anders', en } });
const germany = { country: { iso_code: 'DE', ...names('Germany') } };
const berlin = {
  ...germany,
  city: names('Berlin'),
  subdivisions: [{ iso_code: 'BE', ...names('State of Berlin') }, { iso_code: 'X' }],
};
const unknown = { country: 'Unknown', region: null, city: null };

describe('a database of cities', () => {
  it.each([
    ['of MaxMind', berlin, { country: 'DE', region: 'DE-BE', city: 'Berlin' }],
    [
      'of DB-IP',
      {
        country: { iso_code: 'US' },
        city: { names: { en: 'Mountain View' } },
        subdivisions: [names('California')],
      },
      { country: 'US', region: 'US-California', city: 'Mountain View' },
    ],
    [
      'of ip-location-db',
      { country_code: 'US', state1: 'New York', state2: '', city: 'New York' },
      { country: 'US', region: 'US-New York', city: 'New York' },
    ],
    ['without a city', { ...germany, subdivisions: [] }, { ...unknown, country: 'DE' }],
    [
      'without an English name',
      { ...germany, city: { names: { de: 'Köln' } } },
      { ...unknown, country: 'DE' },
    ],
    ['without a country', { city: names('Atlantis') }, unknown],
    [
      'with odd values',
      {
        country_code: 'DE',
        city: `\tA\n${'b'.repeat(200)}`,
        subdivisions: [{ iso_code: 'too long' }],
      },
      { country: 'DE', region: null, city: `A ${'b'.repeat(97)}` },
    ],
  ])('%s is read', async (_what, record, place) => {
    const networks = [
      { address: '8.8.0.0', bits: 16, record },
      { address: '2a02::', bits: 16, record },
      { address: '9.9.0.0', bits: 16, record: germany },
    ];
    const { findPlace, errors } = await open(await write('city.mmdb', toMmdb(networks)));
    for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '2a02:8109::1']) {
      expect(findPlace(address)).toEqual(place);
    }
    expect(findPlace('9.9.9.9')).toEqual({ country: 'DE', region: null, city: null });
    for (const address of ['8.9.8.8', '2a03::1', '10.0.0.1', 'x']) {
      expect(findPlace(address)).toEqual(unknown);
    }
    expect(errors).toEqual([]);
  });

  it('of IPv4 only does not take IPv6 addresses for IPv4 addresses', async () => {
    const networks = ['8.8.0.0', '42.2.0.0'].map((address) => ({
      address,
      bits: 16,
      record: berlin,
    }));
    const { find } = await open(await write('ipv4.mmdb', toMmdb(networks, { ipVersion: 4 })));
    expect(find('42.2.1.1')).toBe('DE');
    // It begins with the same bits.
    expect(find('2a02:101::1')).toBe('Unknown');
  });
});
