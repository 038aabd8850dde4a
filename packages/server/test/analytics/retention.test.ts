import { expect, it, onTestFinished } from 'vitest';
import { day } from './visit-store.js';
import { startVisitedServer } from './visited-server.js';

it.each([
  ['setting', 31],
  ['earlier deletion', undefined],
] as const)('reports begin when visits are retained, by the %s', async (_, retentionDays) => {
  const api = await startVisitedServer(retentionDays === undefined ? {} : { retentionDays });
  onTestFinished(() => api.stop());
  const createdAt = api.clock();
  const { id, shortCode } = await api.createLink();
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
  expect((await caller.getLink(id)).clickCount).toBe(2);
});
