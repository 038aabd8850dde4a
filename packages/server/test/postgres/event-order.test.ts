import { v7 as newUuid } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import { urlClickThreshold } from '../../src/events/threshold-events.js';
import type { Database, WriteTransaction } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { createEventList } from '../../src/webhooks/event-list.js';
import { openRepository } from '../storage/temporary-database.js';

const limit = 7;

/** Opens two nodes on one database, and an organization. */
async function openNodes() {
  const stored = await openRepository();
  const { databaseUrl } = stored;
  const options = { databaseUrl, durability: 'process', databaseConnections: 8 } as const;
  const nodes = [openStorage(options), openStorage(options)];
  onTestFinished(async () => {
    for (const each of nodes) await each.close();
    await stored.close();
  });
  const organizationId = await stored.addOrganization('scale');
  const outboxes = nodes.map((database) => createEventOutbox(database, { newId: newUuid }));
  const record = (node: number, transaction: WriteTransaction, id: string) => {
    const data = { id, shortCode: 'code', threshold: 1, count: 1 };
    outboxes[node]?.record(transaction, urlClickThreshold, { organizationId, now: 0, data });
  };
  return { stored, nodes, organizationId, record };
}

function reader(database: Database, organizationId: string) {
  const events = createEventList(database, 0);
  let after: string | undefined;
  const ids: string[] = [];
  return {
    ids,
    /** Reads the next page. Returns the number of its events. */
    async next(): Promise<number> {
      const page = await events.list(organizationId, { after, limit, wait: 0 });
      after = page.nextAfter;
      ids.push(...page.bodies.map((body) => JSON.parse(body).data.id));
      return page.bodies.length;
    },
  };
}

it('a reader that continues misses no event, while two nodes commit transactions in any order', async () => {
  const { nodes, organizationId, record } = await openNodes();
  const readers = nodes.map((database) => reader(database, organizationId));
  const expected: string[] = [];
  let isOver = false;
  const reading = readers.map(async (each) => {
    while (!isOver) await each.next();
    for (let read = 1; read > 0; ) read = await each.next();
  });
  const write = async (node: number, writer: number) => {
    for (let at = 0; at < 40; at += 1) {
      const id = `${node}-${writer}-${at}`;
      // Some hold the organization's lock, as requests do, and others only those of rows.
      const lock = writer % 2 === 0 ? 'rows' : { organizationId };
      const mustFail = at % 5 === 4;
      const work = nodes[node]?.writeDirectly(async (transaction) => {
        record(node, transaction, id);
        await transaction.selectFrom('organizations').select('id').execute();
        if (mustFail) throw new Error('rolled back');
      }, lock);
      if (mustFail) await expect(work).rejects.toThrow('rolled back');
      else {
        await work;
        expected.push(id);
      }
    }
  };
  const writers = [0, 1].flatMap((node) => [0, 1, 2, 3].map((writer) => write(node, writer)));
  await Promise.all(writers);
  isOver = true;
  await Promise.all(reading);
  expect(expected).toHaveLength(2 * 4 * 32);
  for (const { ids } of readers) {
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual([...expected].sort());
  }
  expect(readers[0]?.ids).toEqual(readers[1]?.ids);
});
