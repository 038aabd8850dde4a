import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { journalStart } from '../../src/analytics/journal/journal-reader.js';
import { ClickLeaseRepository } from '../../src/redirect/click-lease-repository.js';
import { makeVisit, openVisitStore } from './visit-store.js';

const now = Date.UTC(2030, 0, 1);

let store: Awaited<ReturnType<typeof openVisitStore>>;
let organizationId: string;
beforeAll(async () => {
  store = await openVisitStore();
  organizationId = await store.addOrganization('scale');
});
afterAll(() => store.close());

let changes = 0;
let writers = 0;

async function newLink(maxClicks: number): Promise<number> {
  const [outcome] = await store.create(organizationId, [{ maxClicks }]);
  if (outcome?.status !== 'created') throw new Error('the link was not created');
  return outcome.id;
}

/** A process with a journal of its own. */
function newProcess(urlId: number) {
  writers += 1;
  const writerId = `writer-${writers}`;
  const leases = new ClickLeaseRepository(store.database, writerId, () => now);
  const visits = new VisitRepository(store.database, { outbox: store.outbox, thresholds: [] });
  let at = journalStart;
  return {
    writerId,
    take: (wanted: number, { returned = 0, changeId = `change-${++changes}` } = {}) =>
      leases.change({ urlId, organizationId, changeId, returned, wanted }),
    /** Stores visits whose clicks were leased. */
    async store(count: number, visit = {}) {
      const to = { ...at, offset: at.offset + 1 };
      const made = Array.from({ length: count }, () =>
        makeVisit({ urlId, visitedAt: now, isLeased: true, ...visit }),
      );
      expect(await visits.store(writerId, at, to, { visits: made }, now)).toBe(true);
      at = to;
    },
    end: () => visits.endLeases(writerId),
  };
}

const leasesOf = (urlId: number) =>
  store.database.read
    .selectFrom('click_leases')
    .select(['writer_id', 'clicks'])
    .where('url_id', '=', urlId)
    .orderBy('writer_id')
    .execute();

describe('leases of clicks in storage', () => {
  it('give at most half of a share at once, and one at the end', async () => {
    const urlId = await newLink(11);
    const [one, two] = [newProcess(urlId), newProcess(urlId)];
    const granted = [];
    for (const each of [one, two, one, two, one, two, one]) {
      granted.push((await each.take(100)).granted);
    }
    expect(granted).toEqual([5, 1, 1, 1, 1, 1, 1]);
    expect(await one.take(1)).toEqual({ granted: 0, isUsedUp: false, isUnlimited: false });
    await one.store(8);
    expect(await one.take(1)).toMatchObject({ granted: 0, isUsedUp: false });
    await two.store(3);
    expect(await one.take(1)).toMatchObject({ granted: 0, isUsedUp: true });
    expect(await leasesOf(urlId)).toEqual([]);
  });

  it('are the same after a repeated change, and free again after the end of a process', async () => {
    const urlId = await newLink(8);
    const one = newProcess(urlId);
    const first = await one.take(4, { changeId: 'first' });
    expect(await one.take(4, { changeId: 'first' })).toEqual(first);
    expect(await leasesOf(urlId)).toEqual([{ writer_id: one.writerId, clicks: 4 }]);
    // It has used one, and gives back two.
    await one.take(0, { returned: 2, changeId: 'second' });
    await one.take(0, { returned: 2, changeId: 'second' });
    expect(await leasesOf(urlId)).toEqual([{ writer_id: one.writerId, clicks: 2 }]);
    await one.store(1);
    await one.end();
    const two = newProcess(urlId);
    let total = 0;
    for (;;) {
      const { granted, isUsedUp } = await two.take(8);
      total += granted;
      if (granted === 0) {
        expect(isUsedUp).toBe(true);
        break;
      }
    }
    expect(total).toBe(7);
  });

  it('stay used when their visits are erased before they are stored', async () => {
    const urlId = await newLink(2);
    const one = newProcess(urlId);
    await one.take(1);
    await store.database.writeDirectly((transaction) =>
      transaction
        .insertInto('url_clicks')
        .values({ url_id: urlId, clicks: 0, erased_until: now })
        .execute(),
    );
    await one.store(1);
    expect((await store.urls.get(organizationId, urlId)).erasedClicks).toBe(1);
    expect(await one.take(5)).toMatchObject({ granted: 1 });
    expect(await one.take(5)).toMatchObject({ granted: 0, isUsedUp: true });
  });

  it('are unlimited without a limit', async () => {
    const [outcome] = await store.create(organizationId, [{}]);
    const urlId = outcome?.status === 'created' ? outcome.id : 0;
    expect(await newProcess(urlId).take(5)).toMatchObject({ granted: 0, isUnlimited: true });
  });
});
