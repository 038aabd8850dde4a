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
  it('select visits by language and by the UTM parameters of the visit, otherwise of the link', async () => {
    const targetUrl = 'https://example.com/?utm_source=target&UTM_TERM=shoes#utm_content=no';
    const { id, shortCode } = await api.createLink({ targetUrl, utmMedium: 'Email' });
    const plain = await api.createLink();
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

  it('select visits by region and city', async () => {
    const { id, shortCode } = await api.createLink();
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
      { timezone: '+02:00' },
      'timezone',
      'is "+02:00": it must be the IANA name of a time zone, such as Europe/Berlin',
    ],
    [{ scanMethod: 'camera' }, 'scanMethod', 'is not a known field here'],
  ])('refuse %j', async (query, path, message) => {
    const { error } = await overview(query);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path, message }] });
  });
});
