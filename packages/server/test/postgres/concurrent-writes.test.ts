import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WriteTransaction } from '../../src/storage/database.js';
import { type Caller, callerOf, testOperatorKey } from '../api/start-server.js';
import { poll } from '../poll.js';
import { type Node, startTwoNodes, type TwoNodes } from './two-nodes.js';

const body = { targetUrl: 'https://example.com/before' };
const after = { targetUrl: 'https://example.com/after' };
// How long tenant A's transaction stays open.
const openMs = 3_000;
// A bound for what would take 10 seconds if it waited: locks are released after the others' writes only.
const beforeTimeoutMs = 8_000;

let pair: TwoNodes;
let first: Node;
let second: Node;
/** A program that is not Shorty, such as psql. */
let other: pg.Client;
beforeAll(async () => {
  pair = await startTwoNodes({ operatorKey: testOperatorKey });
  [first, second] = pair.nodes;
  other = new pg.Client({ connectionString: first.databaseUrl });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await pair.stop();
});

/** Holds a lock of an organization in one of the ways that keep its writes waiting. */
const holders: readonly [string, (organizationId: string) => Promise<() => Promise<void>>][] = [
  [
    'its transaction on one node is open',
    async (organizationId) => {
      let end: () => void = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const write = first.server.database.write(organizationId, () => ended);
      return async () => {
        end();
        await write;
      };
    },
  ],
  [
    'another program has locked its row',
    async (organizationId) => {
      await other.query('begin');
      await other.query('select * from organizations where id = $1 for update', [organizationId]);
      return async () => void (await other.query('commit'));
    },
  ],
  [
    'another program has locked its links',
    async (organizationId) => {
      await other.query('begin');
      await other.query('update urls set title = title where organization_id = $1', [
        organizationId,
      ]);
      return async () => void (await other.query('commit'));
    },
  ],
];

describe.each(holders)('while %s', (_, hold) => {
  it('other organizations do not wait', async () => {
    const blocked = await pair.addOrganization('developer');
    const free = await pair.addOrganization('developer');
    const { data: link } = await blocked[0].call('createUrl', { body });
    const release = await hold(blocked[0].organizationId);
    const startedAt = performance.now();
    const waiting = Promise.all(
      blocked.flatMap((caller) => [
        caller.call('createUrl', { body }),
        caller.call('updateUrl', { params: { id: link.id }, body: { title: 'changed' } }),
      ]),
    );
    const slowest = await Promise.all(free.map((caller) => useFor(openMs, caller)));
    expect(performance.now() - startedAt).toBeGreaterThan(openMs);
    await release();
    expect(Math.max(...slowest)).toBeLessThan(beforeTimeoutMs);
    // The blocked organization loses no write.
    expect((await waiting).map(({ status }) => status)).toEqual([201, 200, 201, 200]);
    expect((await blocked[1].call('getUrl', { params: { id: link.id } })).data.title).toBe(
      'changed',
    );
  });
});

it('other organizations do not wait while the operator waits for locked rows of one', async () => {
  const [[deleted], [taken], free] = await Promise.all([
    pair.addOrganization('developer'),
    pair.addOrganization('developer'),
    pair.addOrganization('developer'),
  ]);
  const { data: link } = await taken.call('createUrl', { body });
  await deleted.call('createUrl', { body });
  const operator = callerOf(first.server.url, testOperatorKey, '');
  const { status } = await operator.call('deleteOrganization', {
    params: { id: deleted.organizationId },
    body: { confirm: deleted.organizationId },
  });
  expect(status).toBe(202);
  await other.query('begin');
  const ids = [deleted.organizationId, taken.organizationId];
  await other.query('select * from clients where organization_id = any($1) for update', [ids]);
  await other.query('select * from urls where organization_id = any($1) for update', [ids]);
  const takedown = operator.call('takeDownUrl', {
    body: { shortUrl: link.shortUrl, reason: 'phishing' },
  });
  const slowest = await Promise.all(free.map((caller) => useFor(openMs, caller)));
  await other.query('commit');
  expect(Math.max(...slowest)).toBeLessThan(beforeTimeoutMs);
  expect((await takedown).status).toBe(201);
  await expect
    .poll(async () => {
      const params = { id: deleted.organizationId };
      return (await operator.call('getOrganization', { params })).status;
    })
    .toBe(404);
});

/** Creates, updates, visits and deletes links for a time. Returns the duration of the slowest round. */
async function useFor(durationMs: number, caller: Caller): Promise<number> {
  const startedAt = performance.now();
  let slowest = 0;
  while (performance.now() - startedAt < durationMs) {
    const roundAt = performance.now();
    const { data } = await caller.call('createUrl', { body });
    const params = { id: data.id };
    expect((await caller.call('updateUrl', { params, body: after })).status).toBe(200);
    expect((await second.visit(`/${data.shortCode}`)).headers.get('location')).toBe(
      after.targetUrl,
    );
    expect((await caller.call('deleteUrl', { params })).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - roundAt);
  }
  return slowest;
}

it.each(['rows', 'deliveries', 'slow deliveries', 'claims'] as const)(
  'work with the lock %s passes work that waits for a locked row',
  async (lock) => {
    const ids = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const [{ organizationId }] = await pair.addOrganization('free');
        return organizationId;
      }),
    );
    const rename = (id: string | undefined) =>
      first.server.database.writeDirectly(
        (transaction) =>
          transaction
            .updateTable('organizations')
            .set({ name: 'renamed' })
            .where('id', '=', id as string)
            .execute(),
        lock,
      );
    await other.query('begin');
    await other.query('select * from organizations where id = $1 for update', [ids[0]]);
    const waiting = rename(ids[0]);
    await rename(ids[1]);
    await other.query('commit');
    await waiting;
  },
);

it('a node gets a change that commits after a later one', async () => {
  const links = await Promise.all(
    Array.from({ length: 2 }, async () => (await first.call('createUrl', { body })).data),
  );
  const [early, late] = links as [(typeof links)[0], (typeof links)[0]];
  const locationOf = async ({ shortCode }: { shortCode: string }) =>
    (await second.visit(`/${shortCode}`)).headers.get('location');
  // The second node has cached both.
  expect([await locationOf(early), await locationOf(late)]).toEqual(Array(2).fill(body.targetUrl));
  await other.query('begin');
  await other.query('update urls set target_url = $1 where id = $2', [
    after.targetUrl,
    Number(early.id),
  ]);
  await first.call('updateUrl', { params: { id: late.id }, body: after });
  const changes = (link: typeof early) =>
    poll(
      'the change on the other node',
      () => locationOf(link),
      (to) => to === after.targetUrl,
    );
  await changes(late);
  expect(await locationOf(early)).toBe(body.targetUrl);
  await other.query('commit');
  await changes(early);
});

it('transactions that wait for each other are repeated, and counted', async () => {
  const organizations = await Promise.all([
    pair.addOrganization('free'),
    pair.addOrganization('free'),
  ]);
  const ids = organizations.map(([{ organizationId }]) => organizationId);
  let running = 0;
  let meet: () => void = () => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const renameAll = (order: readonly string[]) => async (transaction: WriteTransaction) => {
    for (const id of order) {
      await transaction
        .updateTable('organizations')
        .set({ name: 'renamed' })
        .where('id', '=', id)
        .execute();
      running += 1;
      if (running === 2) meet();
      await met;
    }
  };
  const { database } = first.server;
  await Promise.all([
    // Locks whose transactions wait longer than PostgreSQL takes to find a deadlock.
    database.writeDirectly(renameAll(ids), { visitShard: 1 }),
    second.server.database.writeDirectly(renameAll(ids.toReversed()), { visitShard: 2 }),
  ]);
  const deadlocks = pair.nodes.map(({ server }) => server.database.retries.deadlock);
  expect(deadlocks.reduce((sum, count) => sum + count, 0)).toBe(1);
  const metrics = await (await fetch(`${first.server.url}/metrics`)).text();
  expect(metrics).toContain(`shorty_storage_retries_total{cause="deadlock"} ${deadlocks[0]}`);
});

it('two organizations that request a slug at the same time get one owner', async () => {
  for (let round = 0; round < 10; round += 1) {
    const callers = await Promise.all([
      pair.addOrganization('developer'),
      pair.addOrganization('developer'),
    ]);
    const customSlug = `contested-${round}`;
    const statuses = await Promise.all(
      callers.map(async (nodes, at) => {
        const caller = nodes[at] as Caller;
        return (await caller.call('createUrl', { body: { ...body, customSlug } })).status;
      }),
    );
    expect(statuses.sort()).toEqual([201, 409]);
  }
});

it('organizations that subscribe to clicks at the same time start one feed', async () => {
  const callers = await Promise.all(
    Array.from({ length: 6 }, () => pair.addOrganization('enterprise')),
  );
  const responses = await Promise.all(
    callers.map((nodes, at) =>
      (nodes[at % 2] as Caller).call('createWebhook', {
        body: { url: 'https://hooks.example/clicks', events: ['url.clicked'] },
      }),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(201));
  const { rows } = await other.query('select * from click_feed');
  expect(rows).toHaveLength(1);
});
