import { afterEach, beforeEach, expect, it } from 'vitest';
import { retainedSince } from '../../src/analytics/ingest/delete-old-visits.js';
import { diagnoseVisits } from '../../src/analytics/reports/visit-doctor.js';
import { storedVisits } from './stored-visits.js';
import { day, hour, makeVisit, openVisitStore, start, type VisitStore } from './visit-store.js';

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
  const organizationId = await stored.addOrganization('enterprise');
  const [created] = await stored.create(organizationId, [{}]);
  const urlId = created?.status === 'created' ? created.id : 0;
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
