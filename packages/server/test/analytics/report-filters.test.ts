import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startVisitedServer, type VisitedServer } from './visited-server.js';

let api: VisitedServer;
beforeEach(async () => {
  api = await startVisitedServer();
});
afterEach(() => api.stop());

type Query = Readonly<Record<string, string | readonly string[]>>;

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
