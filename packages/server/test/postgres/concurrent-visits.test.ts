import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { mergeVisits } from '../../src/analytics/ingest/merge-visits.js';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { expectSoundVisits, visitRepositoryOn } from '../analytics/stored-visits.js';
import { day, makeVisit, openVisitStore, start } from '../analytics/visit-store.js';

const stored = await openVisitStore();
const open = () => openStorage({ databaseUrl: stored.databaseUrl, durability: 'process' });
/** Each has the visits of its own journal. */
const nodes = [ingestingNode('first', open()), ingestingNode('second', open())] as const;
/** Another program. */
const other = new pg.Client({ connectionString: stored.databaseUrl });
await other.connect();
afterAll(async () => {
  await other.end();
  for (const { database } of nodes) await database.close();
  await stored.close();
});

type IngestingNode = ReturnType<typeof ingestingNode>;

function ingestingNode(writerId: string, opened: Database) {
  const transactions = { wanted: 0, begun: 0 };
  const writeDirectly: Database['writeDirectly'] = (work, lock) => {
    transactions.wanted += 1;
    return opened.writeDirectly(async (transaction) => {
      transactions.begun += 1;
      // Longer than PostgreSQL takes to find a deadlock.
      await sql`set local lock_timeout = '5s'`.execute(transaction);
      return work(transaction);
    }, lock);
  };
  const database = { ...opened, writeDirectly };
  const visits = visitRepositoryOn(database);
  let offset = 0;
  return {
    database,
    transactions,
    async store(urlIds: readonly number[]): Promise<void> {
      const from = { segment: 1, offset };
      offset += urlIds.length;
      const batch = urlIds.map((urlId) => makeVisit({ urlId, visitedAt: start + offset }));
      const to = { segment: 1, offset };
      expect(await visits.store(writerId, from, to, { visits: batch }, start)).toBe(true);
    },
    merge: () => mergeVisits(database, start + day),
  };
}

const createLinks = async (count: number) => (await stored.createLinks(count)).urlIds;

const clicksOf = async (urlIds: readonly number[]) => {
  const rows = await stored.database.read
    .selectFrom('url_clicks')
    .select('clicks')
    .where('url_id', 'in', urlIds)
    .execute();
  return rows.map(({ clicks }) => clicks);
};

const expectSound = () => expectSoundVisits(stored.database);

it('two nodes store and merge visits of the same links, each exactly once', async () => {
  const urlIds = await createLinks(1_000);
  const rounds = 15;
  const run = async (node: IngestingNode, order: readonly number[]) => {
    for (let round = 0; round < rounds; round += 1) {
      await node.store(order);
      await node.merge();
    }
  };
  await Promise.all([run(nodes[0], urlIds), run(nodes[1], urlIds.toReversed())]);
  for (const node of nodes) await node.merge();
  expect(await clicksOf(urlIds)).toEqual(urlIds.map(() => 2 * rounds));
  // No node had to repeat a transaction because of the other's rows.
  for (const { transactions } of nodes) expect(transactions.begun).toBe(transactions.wanted);
  await expectSound();
  const { rows } = await other.query('select 1 from visits where level = 0');
  expect(rows).toEqual([]);
});
