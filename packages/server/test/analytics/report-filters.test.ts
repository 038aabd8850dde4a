import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toMmdb } from './to-mmdb.js';
import { startVisitedServer, type VisitedServer } from './visited-server.js';

let api: VisitedServer;
beforeEach(async () => {
  api = await startVisitedServer({ countryDatabase });
});
afterEach(() => api.stop());

const folder = mkdtempSync(join(tmpdir(), 'shorty-cities-'));
afterAll(() => rmSync(folder, { recursive: true }));
const countryDatabase = join(folder, 'cities.mmdb');
const place = (country: string, region: string, city: string) => ({
  country: { iso_code: country },
  subdivisions: [{ iso_code: region }],
  city: { names: { en: city } },
});
writeFileSync(
  countryDatabase,
  toMmdb([
    { address: '5.5.0.0', bits: 16, record: place('DE', 'BE', 'Berlin') },
    { address: '2a02::', bits: 16, record: place('DE', 'BE', 'Berlin') },
    { address: '6.6.0.0', bits: 16, record: place('US', 'CT', 'New Berlin') },
    { address: '7.7.0.0', bits: 16, record: place('US', 'NH', 'Berlin') },
    { address: '8.8.0.0', bits: 16, record: { country: { iso_code: 'FR' } } },
  ]),
);

type Query = Readonly<Record<string, string | readonly string[]>>;

async function clicks(id: string, query: Query) {
  await api.settle();
  return (await api.freshCaller()).call('getUrlClicks', { params: { id }, query });
}

async function overview(query: Query) {
  await api.settle();
  return (await api.freshCaller()).call('getAnalyticsOverview', { query });
}

describe('filters', () => {
  it('use all of up to 20 values, in any case', async () => {
    const { id, shortCode } = await api.createUrl();
    await api.visitAs(shortCode, { agent: 'firefox' });
    await api.visitAs(shortCode, { agent: 'iphone' });
    api.clock.advance(1);
    const others = (count: number) => Array.from({ length: count }, (_, at) => `other ${at}`);
    const browser = [...others(19), 'firefox'];
    const country = [...Array(19).fill('DE'), 'unknown'];
    const totalsOf = async (query: Query) => (await clicks(id, query)).data.totals.totalClicks;
    expect(await totalsOf({ browser, country })).toBe(1);
    expect(await totalsOf({ browser, os: others(20) })).toBe(0);
    expect((await clicks(id, { browser: others(21) })).outcome).toBe('400 VALIDATION_FAILED');
  });

  it('select visits by language and by the UTM parameters of the visit, otherwise of the link', async () => {
    const targetUrl = 'https://example.com/?utm_source=target&UTM_TERM=shoes#utm_content=no';
    const { id, shortCode } = await api.createUrl({ targetUrl, utmMedium: 'Email' });
    const plain = await api.createUrl();
    await api.visitAs(shortCode, { language: 'de-AT' });
    await api.visitAs(`${shortCode}?utm_source=Post&utm_medium=`, { language: 'EN' });
    await api.visitAs(plain.shortCode);
    // A change of the link applies to later visits.
    await api.call('updateUrl', { params: { id }, body: { utmMedium: 'print' } });
    await api.visitAs(shortCode);
    api.clock.advance(1);
    const { breakdowns } = (await overview({})).data;
    expect(breakdowns).toMatchObject({
      language: [
        { language: 'Unknown', clicks: 2 },
        { language: 'de', clicks: 1 },
        { language: 'en', clicks: 1 },
      ],
      utmSource: [
        { utmSource: 'target', clicks: 2 },
        { utmSource: '(none)', clicks: 1 },
        { utmSource: 'post', clicks: 1 },
      ],
      utmMedium: [
        { utmMedium: 'email', clicks: 2 },
        { utmMedium: '(none)', clicks: 1 },
        { utmMedium: 'print', clicks: 1 },
      ],
      utmCampaign: [{ utmCampaign: '(none)', clicks: 4 }],
      utmTerm: [
        { utmTerm: 'shoes', clicks: 3 },
        { utmTerm: '(none)', clicks: 1 },
      ],
      utmContent: [{ utmContent: '(none)', clicks: 4 }],
    });
  });

  it('select links of the overview by tag, domain and id', async () => {
    const first = await api.createUrl({ tags: ['a', 'A%'] });
    const second = await api.createUrl({ tags: ['b'] });
    const third = await api.createUrl();
    for (const { shortCode } of [first, second, second, third]) await api.visitAs(shortCode);
    api.clock.advance(1);
    const found = async (query: Query) => {
      const { totals, topUrls } = (await overview(query)).data;
      return [totals.totalUrls, totals.totalClicks, topUrls.map(({ urlId }) => urlId)];
    };
    expect(await found({ tag: 'a' })).toEqual([1, 1, [first.id]]);
    expect(await found({ tag: 'A' })).toEqual([0, 0, []]);
    expect(await found({ tag: ['A%', 'b'] })).toEqual([2, 3, [second.id, first.id]]);
    expect(await found({ urlId: [third.id, second.id] })).toEqual([2, 3, [second.id, third.id]]);
    expect(await found({ urlId: third.id, tag: 'a' })).toEqual([0, 0, []]);
    const domainId = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
    expect(await found({ domainId })).toEqual([0, 0, []]);
  });

  it('select visits by region and city', async () => {
    const { id, shortCode } = await api.createUrl();
    const addresses = ['5.5.5.5', '2a02::5', '6.6.6.6', '7.7.7.7', '8.8.8.8', '127.0.0.1'];
    for (const address of addresses) await api.visitAs(shortCode, { address });
    api.clock.advance(1);
    const { breakdowns } = (await clicks(id, {})).data;
    expect(breakdowns).toMatchObject({
      region: [
        { region: 'DE-BE', clicks: 2 },
        { region: 'Unknown', clicks: 2 },
        { region: 'US-CT', clicks: 1 },
        { region: 'US-NH', clicks: 1 },
      ],
      city: [
        { city: 'Berlin', region: 'DE-BE', country: 'DE', clicks: 2 },
        { city: 'Unknown', region: 'Unknown', country: 'Unknown', clicks: 2 },
        { city: 'Berlin', region: 'US-NH', country: 'US', clicks: 1 },
        { city: 'New Berlin', region: 'US-CT', country: 'US', clicks: 1 },
      ],
    });
    const total = async (query: Query) => (await overview(query)).data.totals.totalClicks;
    expect(await total({ city: 'berlin' })).toBe(3);
    expect(await total({ city: 'Berlin\tDE-BE\tDE' })).toBe(0);
  });

  it.each<[Query, string, unknown]>([
    [
      { country: 'Germany' },
      'country[0]',
      'is "Germany": must be a country code of two letters (ISO 3166-1), or "Unknown"',
    ],
    [
      { device: ['mobile', 'phone'] },
      'device[1]',
      expect.stringMatching(/^is "phone": must be one of desktop, /),
    ],
    [
      { language: 'de-AT' },
      'language[0]',
      'is "de-AT": must be a language code of two or three letters (ISO 639), or "Unknown"',
    ],
    [{ utmSource: '' }, 'utmSource[0]', 'must not be empty'],
    [{ browser: '' }, 'browser[0]', 'must not be empty'],
    [{ city: '' }, 'city[0]', 'must not be empty'],
    ...['Europe/Atlantis', '+02:00', ''].map((timezone): [Query, string, string] => [
      { timezone },
      'timezone',
      `is ${JSON.stringify(timezone)}: it must be the IANA name of a time zone, such as Europe/Berlin`,
    ]),
    [{ urlId: 'x' }, 'urlId[0]', 'is "x": must be a positive integer in decimal digits'],
    [{ domainId: 'x' }, 'domainId[0]', 'is "x": must be a UUID'],
    [{ tag: Array.from({ length: 21 }, String) }, 'tag', 'must have at most 20 values'],
    [{ scanMethod: 'camera' }, 'scanMethod', 'is not a known field here'],
  ])('refuse %j', async (query, path, message) => {
    const { error } = await overview(query);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path, message }] });
  });
});
