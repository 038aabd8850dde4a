import { expect, it, onTestFinished } from 'vitest';
import { mergeVisits } from '../../src/analytics/ingest/merge-visits.js';
import { storedVisits } from './stored-visits.js';
import { makeVisit, month, openVisitStore, start } from './visit-store.js';

async function open() {
  const stored = await openVisitStore();
  onTestFinished(() => stored.close());
  const { organizationId, urlIds } = await stored.createLinks(3);
  const rows = () =>
    stored.database.read
      .selectFrom('visits')
      .select(['level', 'visit_count', 'first_url', 'last_url', 'first_at', 'last_at'])
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .execute();
  return { ...stored, organizationId, urlIds, rows };
}

it('24 rows of level 1 become rows of level 2, in which a link has few rows of its own', async () => {
  const { store, merge, rows, urlIds, organizationId, reader, database } = await open();
  let count = 0;
  // Each merge adds a full row of all links.
  for (let round = 0; round < 24; round += 1) {
    await store(
      Array.from({ length: 2_048 }, (_, at) =>
        makeVisit({ urlId: urlIds[at % 3] as number, visitedAt: start + round * 1_000_000 + at }),
      ),
    );
    count += 2_048;
    await merge();
  }
  const merged = await rows();
  expect(new Set(merged.map(({ level }) => level))).toEqual(new Set([2]));
  const [first = 0] = urlIds;
  const withFirst = merged.filter(({ first_url }) => first_url <= first);
  // A third of the visits. The last row has the other links, too.
  expect(withFirst.map(({ visit_count }) => visit_count)).toEqual([8_192, 8_192, 2_048]);
  expect((await storedVisits(database)).length).toBe(count);
  const { totals } = await reader.readClicks(organizationId, first, month);
  expect(totals.totalClicks).toBe(24 * Math.ceil(2_048 / 3));
});

it('a merge does nothing if a row has changed meanwhile', async () => {
  const { store, rows, urlIds, database } = await open();
  await store([makeVisit({ urlId: urlIds[0] as number })]);
  await store([makeVisit({ urlId: urlIds[1] as number })]);
  const racing: typeof database = {
    ...database,
    async writeDirectly(work, lock) {
      await database.writeDirectly((transaction) =>
        transaction
          .deleteFrom('visits')
          .where('first_url', '=', urlIds[0] as number)
          .execute(),
      );
      return database.writeDirectly(work, lock);
    },
  };
  await mergeVisits(racing, start + 60_000 * 10);
  expect(await rows()).toMatchObject([{ level: 0, first_url: urlIds[1] }]);
});

it('a row that cannot be read does not delay the merges of other organizations', async () => {
  const { store, merge, rows, urlIds, database, createLinks } = await open();
  const others = [await createLinks(1), await createLinks(1)];
  const otherIds = others.flatMap((other) => other.urlIds);
  for (const urlId of [...otherIds, ...urlIds]) await store([makeVisit({ urlId })]);
  await database.writeDirectly((transaction) =>
    transaction
      .updateTable('visits')
      .set({ visits: Buffer.from('damaged') })
      .where('first_url', '=', urlIds[0] as number)
      .execute(),
  );
  await expect(merge()).rejects.toThrow('of visits cannot be read: see shorty-server doctor');
  const levels = database.read.selectFrom('visits').select('level');
  expect(await levels.where('first_url', 'in', otherIds).execute()).toEqual([
    { level: 1 },
    { level: 1 },
  ]);
  // Nothing is lost that may be readable to another version.
  expect(await rows()).toHaveLength(urlIds.length);
});
