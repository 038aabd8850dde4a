import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { retainedSince } from '../../src/analytics/ingest/delete-old-visits.js';
import { diagnoseVisits } from '../../src/analytics/reports/visit-doctor.js';
import { storedVisits } from './stored-visits.js';
import { day, hour, makeVisit, openVisitStore, start, type VisitStore } from './visit-store.js';
import { startVisitedServer } from './visited-server.js';

let stored: VisitStore;
beforeEach(async () => {
  stored = await openVisitStore();
});
afterEach(() => stored.close());

it('begins with a UTC day', () => {
  expect(retainedSince(31, start + 40 * day + hour)).toBe(start + 9 * day);
  expect(retainedSince(undefined, start)).toBeUndefined();
});

it('deletes the visits before an instant, and no counter, which the doctor accepts', async () => {
  const { urlIds } = await stored.createLinks(1);
  const [urlId = 0] = urlIds;
  const visits = Array.from({ length: 72 }, (_, at) =>
    makeVisit({ urlId, visitedAt: start + at * hour }),
  );
  await stored.store(visits.slice(0, 30));
  await stored.merge();
  await stored.store(visits.slice(30));
  await stored.deleteOld(start + day);
  const times = (await storedVisits(stored.database)).map(({ visitedAt }) => visitedAt);
  expect(times.sort()).toEqual(visits.slice(24).map(({ visitedAt }) => visitedAt));
  const { clicks } = await stored.database.read
    .selectFrom('url_clicks')
    .select('clicks')
    .executeTakeFirstOrThrow();
  expect(clicks).toBe(72);
  const { wrongLinks } = await diagnoseVisits(stored.database);
  expect(wrongLinks).toEqual([]);
});

it.each([
  ['setting', 31],
  ['earlier deletion', undefined],
] as const)('reports begin when visits are retained, by the %s', async (_, retentionDays) => {
  const api = await startVisitedServer(retentionDays === undefined ? {} : { retentionDays });
  onTestFinished(() => api.stop());
  const createdAt = api.clock();
  const { id, shortCode } = await api.createUrl();
  await api.visitAs(shortCode);
  await api.settle();
  api.clock.advance(40 * day);
  await api.visitAs(shortCode);
  await api.settle();
  api.clock.advance(1_000);
  const retainedFrom = createdAt - (createdAt % day) + 9 * day;
  if (retentionDays === undefined) {
    await api.server.database.writeDirectly((transaction) =>
      transaction
        .updateTable('organizations')
        .set({ visits_deleted_until: retainedFrom })
        .where('id', '=', api.organizationId)
        .execute(),
    );
  }
  const caller = await api.freshCaller();
  const query = { since: '1970-01-01' } as const;
  const retained = new Date(retainedFrom).toISOString();
  for (const { data } of [
    await caller.call('getUrlClicks', { params: { id }, query }),
    await caller.call('getAnalyticsOverview', { query }),
  ]) {
    expect(data.retainedSince).toBe(retained);
    expect(data.totals.totalClicks).toBe(1);
    expect(data.timeseries[0]?.bucket).toBe(retained);
    expect(data.timeseries).toHaveLength(32);
  }
  const { data: page } = await caller.call('exportVisits', { query });
  expect(page.count).toBe(1);
  expect((await caller.call('getUrl', { params: { id } })).data.clickCount).toBe(2);
});
