import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { day, hour } from './visit-store.js';
import { startVisitedServer, type VisitedServer, type Visitor } from './visited-server.js';

let api: VisitedServer;
beforeEach(async () => {
  api = await startVisitedServer();
});
afterEach(() => api.stop());

const create = (body?: object) => api.createLink(body);
const visit = (key: string, visitor?: Visitor) => api.visitAs(key, visitor);

const clicks = async (id: string, query: Record<string, string | number> = {}) => {
  await api.settle();
  return (await api.freshCaller()).call('getUrlClicks', { params: { id }, query });
};

describe('GET /api/v1/urls/{id}/clicks', () => {
  // report-model.test.ts compares every field with those of a model.
  it('has the visits before now, of 30 days, by day, and 10 values of each breakdown by default', async () => {
    const { id, shortCode } = await create();
    await visit(shortCode);
    expect((await clicks(id)).data.totals.totalClicks).toBe(0);
    api.clock.advance(30 * day);
    for (let app = 0; app < 12; app += 1) {
      const referer = `https://site-${String(app).padStart(2, '0')}.example/`;
      // In the database of places that is shipped.
      await visit(shortCode, { referer, address: '8.8.8.8' });
    }
    api.clock.advance(1);
    const { data } = await clicks(id);
    expect(data).toMatchObject({
      urlId: id,
      shortCode,
      since: '2030-01-01T00:00:00.001Z',
      until: '2030-01-31T00:00:00.001Z',
      // The visit of 30 days and a millisecond ago is outside.
      totals: { totalClicks: 12, uniqueClicks: 1, uniqueIps: 1 },
      breakdowns: {
        country: [{ country: 'US', clicks: 12 }],
        device: [{ deviceType: 'desktop', clicks: 12 }],
        browser: [{ browser: 'Firefox', clicks: 12 }],
        os: [{ os: 'Linux', clicks: 12 }],
      },
    });
    expect(data.timeseries).toHaveLength(31);
    expect(data.timeseries[0]?.bucket).toBe('2030-01-01T00:00:00.000Z');
    expect(data.breakdowns.referrer).toHaveLength(10);
    expect((await clicks(id, { limit: 50 })).data.breakdowns.referrer).toHaveLength(12);
    expect((await clicks(id, { limit: 1 })).data.breakdowns.referrer).toEqual([
      {
        ...{ referrerDomain: 'site-00.example', referrerType: 'other', clicks: 1 },
        ...{ label: 'site-00.example', count: 1 },
      },
    ]);
  });

  it('gives two links over one window series of the same length, and says when each was created', async () => {
    const [old, query] = [await create(), { since: '2029-11-20T12:00', until: '2030-06-01' }];
    const at = api.clock();
    api.clock.advance(5 * day);
    const caller = await api.freshCaller();
    const body = { targetUrl: 'https://example.com/' };
    const young = await caller.createLink(body);
    const series = [(await clicks(old.id, query)).data, (await clicks(young.id, query)).data];
    const [first, second] = series.map(({ timeseries }) => timeseries.map(({ bucket }) => bucket));
    expect(first).toHaveLength(193);
    expect(second).toEqual(first);
    const created = [at, at + 5 * day].map((each) => new Date(each).toISOString());
    expect(series.map(({ createdAt }) => createdAt)).toEqual(created);
    for (const [hours, length] of [
      [1_000, 1_000],
      [1_001, 1],
    ] as const) {
      const until = api.clock() - (api.clock() % hour) + hour;
      const window = [until - hours * hour, until].map((each) => new Date(each).toISOString());
      const [since = '', end = ''] = window;
      const { data } = await clicks(young.id, { since, until: end, groupBy: 'hour' });
      expect(data.timeseries).toHaveLength(length);
    }
  });

  it.each(['1970-01-01', '0001-01-01T00:00:00Z'])(
    'since=%s means all: the series begins when the record was created',
    async (since) => {
      api.clock.advance(40 * day);
      const owner = await api.freshCaller();
      const body = { targetUrl: 'https://example.com/' };
      const { id } = await owner.createLink(body);
      api.clock.advance(day + 1);
      const { data } = await clicks(id, { since });
      expect(data.since).toBe(new Date(since).toISOString());
      expect(data.timeseries.map(({ bucket }) => bucket)).toEqual([
        '2030-02-10T00:00:00.000Z',
        '2030-02-11T00:00:00.000Z',
      ]);
      const reader = await api.freshCaller();
      const overview = await reader.call('getAnalyticsOverview', { query: { since } });
      expect(overview.data.timeseries[0]?.bucket).toBe('2030-01-01T00:00:00.000Z');
      const before = await clicks(id, { since, until: '2029-01-01' });
      expect(before.data).toMatchObject({ totals: { totalClicks: 0 }, timeseries: [] });
    },
  );

  it('returns imported clicks apart from all counts', async () => {
    const { id, shortCode } = await create({ importedClicks: 1204 });
    await create({ importedClicks: 96 });
    await visit(shortCode);
    api.clock.advance(1);
    const { data } = await clicks(id);
    expect(data).toMatchObject({ importedClicks: 1204, totals: { totalClicks: 1 } });
    expect(data.timeseries.reduce((sum, bucket) => sum + bucket.clicks, 0)).toBe(1);
    const caller = await api.freshCaller();
    expect(await caller.getLink(id)).toMatchObject({
      clickCount: 1,
      importedClicks: 1204,
    });
    expect((await caller.call('getAnalyticsOverview')).data).toMatchObject({
      importedClicks: 1300,
      totals: { totalClicks: 1 },
    });
  });

  it.each([
    [
      { since: '2030-02-30' },
      'since',
      'is "2030-02-30": it must be an ISO 8601 date or time, such as 2030-12-31, 2030-12-31T23:59Z or 2030-12-31T23:59:59+02:00',
    ],
    [
      { since: '2030-01-02T00:00:00Z', until: '2030-01-01T00:00:00Z' },
      'since',
      'must lie before until: it is 2030-01-02T00:00:00.000Z, and until is 2030-01-01T00:00:00.000Z',
    ],
    [
      { since: '2000-01-01T00:00:00Z', until: '2060-01-01T00:00:00Z', groupBy: 'hour' },
      'since',
      'makes 262968 buckets of one hour: a report has at most 10000',
    ],
  ])('rejects %j', async (query, path, message) => {
    const { id } = await create();
    const response = await api.call('getUrlClicks', {
      params: { id },
      query: query as Record<string, string>,
    });
    expect(response.status).toBe(400);
    expect(response.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path, message }],
    });
  });
});

describe('GET /api/v1/analytics/overview', () => {
  it('counts links that are deleted, but not as active, and nothing of other organizations', async () => {
    const [first, deleted] = [await create(), await create()];
    await api.call('deleteUrl', { params: { id: deleted.id } });
    const other = await api.newcomer('free');
    for (const { shortCode } of [first, await other.createLink()]) await visit(shortCode);
    api.clock.advance(1);
    await api.settle();
    const { data } = await api.call('getAnalyticsOverview');
    expect(data).toMatchObject({
      since: '2029-12-02T00:00:00.001Z',
      until: '2030-01-01T00:00:00.001Z',
      totals: { totalUrls: 2, activeUrls: 1, totalClicks: 1 },
      topUrls: [{ urlId: first.id }],
    });
  });

  it('that took long is remembered for a minute, and says so by until', async () => {
    const { shortCode } = await create();
    await visit(shortCode);
    await api.settle();
    const { database } = api.server;
    const { snapshot } = database;
    const slowly: typeof snapshot = (work) => {
      api.clock.advance(501);
      return snapshot(work);
    };
    Object.assign(database, { snapshot: slowly });
    api.clock.advance(1);
    const read = async (query = {}) => (await api.call('getAnalyticsOverview', { query })).data;
    const first = await read();
    expect(first).toMatchObject({ until: '2030-01-01T00:00:00.001Z', totals: { totalClicks: 1 } });
    await visit(shortCode);
    await api.settle();
    api.clock.advance(1);
    expect(await read()).toEqual(first);
    expect((await read({ device: 'desktop' })).totals.totalClicks).toBe(2);
    api.clock.advance(60_000);
    expect(await read()).toMatchObject({
      until: '2030-01-01T00:01:01.004Z',
      totals: { totalClicks: 2 },
    });
  });

  it('leaves out a top link that is erased while the overview is read', async () => {
    const kept = await create();
    const erased = await create();
    await visit(erased.shortCode);
    await visit(erased.shortCode);
    await visit(kept.shortCode);
    api.clock.advance(1);
    await api.settle();
    const { database } = api.server;
    const { snapshot } = database;
    const eraseAfterwards: typeof snapshot = async (work) => {
      const counted = await snapshot(work);
      Object.assign(database, { snapshot });
      const call = { params: { id: erased.id }, query: { erase: true } };
      expect((await api.call('deleteUrl', call)).status).toBeLessThan(300);
      return counted;
    };
    Object.assign(database, { snapshot: eraseAfterwards });
    const { status, data } = await api.call('getAnalyticsOverview');
    expect(status).toBe(200);
    expect(data.totals.totalClicks).toBe(3);
    expect(data.topUrls).toEqual([
      { urlId: kept.id, shortCode: kept.shortCode, shortUrl: kept.shortUrl, clicks: 1 },
    ]);
  });
});
