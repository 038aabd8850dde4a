import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import type { WriteTransaction } from '../../src/storage/database.js';
import { type Caller, callerOf, testOperatorKey } from '../api/start-server.js';
import { poll } from '../poll.js';
import { startTwoNodes } from './two-nodes.js';

const body = { targetUrl: 'https://example.com/before' };
const after = { targetUrl: 'https://example.com/after' };
// How long tenant A's transaction stays open.
const openMs = 1_500;
// Work that concerns all organizations may delay each of the three writes of B's rounds by this.
const delayMs = 500;

const pair = await startTwoNodes({ operatorKey: testOperatorKey });
const [first, second] = pair.nodes;
/** A program that is not Shorty, such as psql. */
const other = await connect();
const locked = await lockOrganization();
afterAll(async () => {
  await Promise.all([other.end(), locked.holder.end()]);
  await pair.stop();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: first.databaseUrl });
  await client.connect();
  return client;
}

/** Locks the row of an organization, and sends a write of it, which waits beside the other tests. */
async function lockOrganization() {
  const [, caller] = await pair.addOrganization('developer');
  const holder = await connect();
  await holder.query('begin');
  await holder.query('select * from organizations where id = $1 for update', [
    caller.organizationId,
  ]);
  const sentAt = performance.now();
  const refused = caller
    .call('createUrl', { body })
    .then(({ status }) => ({ status, afterMs: performance.now() - sentAt }));
  return { caller, holder, refused };
}

it('other organizations do not wait while a program has locked the rows of many', async () => {
  const blocked = await pair.addOrganization('developer');
  const free = await pair.addOrganization('developer');
  const others = await Promise.all(
    Array.from({ length: 15 }, () => pair.addOrganization('developer')),
  );
  const { data: link } = await blocked[0].call('createUrl', { body });
  const usual = medianOf(await useFor(openMs / 3, free));
  await other.query('begin');
  const lock = 'select * from organizations where id = any($1) for update';
  await other.query(lock, [[blocked, ...others].map(([{ organizationId }]) => organizationId)]);
  const startedAt = performance.now();
  const waiting = Promise.all(
    blocked.flatMap((caller) => [
      caller.call('updateUrl', { params: { id: link.id }, body: { title: 'changed' } }),
      ...Array.from({ length: 8 }, () => caller.call('createUrl', { body })),
    ]),
  );
  const creates = Promise.all(others.map(([caller]) => caller.call('createUrl', { body })));
  const rounds = await useFor(openMs, free);
  expect(performance.now() - startedAt).toBeGreaterThan(openMs);
  await other.query('commit');
  // Each would take as long as A's transaction if it waited for it.
  expect(medianOf(rounds)).toBeLessThan(1.5 * usual + openMs / 3);
  // The blocked organization loses no write.
  const ofNode = [200, ...Array<number>(8).fill(201)];
  expect((await waiting).map(({ status }) => status)).toEqual([...ofNode, ...ofNode]);
  expect((await creates).map(({ status }) => status)).toEqual(Array(15).fill(201));
  expect((await blocked[1].call('getUrl', { params: { id: link.id } })).data.title).toBe('changed');
});

it('other organizations do not wait while the operator waits for locked rows of one', async () => {
  const [[deleted], [taken], free] = await Promise.all([
    pair.addOrganization('developer'),
    pair.addOrganization('developer'),
    pair.addOrganization('developer'),
  ]);
  const link = await taken.createLink(body);
  await deleted.call('createUrl', { body });
  const operator = callerOf(first.server.url, testOperatorKey, '');
  const { status } = await operator.call('deleteOrganization', {
    params: { id: deleted.organizationId },
    body: { confirm: deleted.organizationId },
  });
  expect(status).toBe(202);
  const usual = medianOf(await useFor(openMs / 3, free));
  await other.query('begin');
  const ids = [deleted.organizationId, taken.organizationId];
  await other.query('select * from clients where organization_id = any($1) for update', [ids]);
  await other.query('select * from urls where organization_id = any($1) for update', [ids]);
  const takedown = operator.call('takeDownUrl', {
    body: { shortUrl: link.shortUrl, reason: 'phishing' },
  });
  const rounds = await useFor(openMs, free);
  await other.query('commit');
  expect(medianOf(rounds)).toBeLessThan(1.5 * usual + 3 * delayMs);
  expect((await takedown).status).toBe(201);
  await expect
    .poll(async () => {
      const params = { id: deleted.organizationId };
      return (await operator.call('getOrganization', { params })).status;
    })
    .toBe(404);
});

/** Writes and visits through both nodes for a time. Returns the durations of the rounds. */
async function useFor(durationMs: number, callers: readonly Caller[]) {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > durationMs;
  const rounds: number[] = [];
  const use = async (caller: Caller) => {
    while (!isOver()) {
      const roundAt = performance.now();
      await useOnce(caller);
      rounds.push(performance.now() - roundAt);
    }
  };
  await Promise.all(callers.map(use));
  return rounds;
}

/** Creates, updates, visits and deletes a link. */
async function useOnce(caller: Caller): Promise<void> {
  const data = await caller.createLink(body);
  const params = { id: data.id };
  expect((await caller.call('updateUrl', { params, body: after })).status).toBe(200);
  expect((await second.visit(`/${data.shortCode}`)).headers.get('location')).toBe(after.targetUrl);
  expect((await caller.call('deleteUrl', { params })).status).toBe(200);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

it('a node gets a change that commits after a later one', async () => {
  const links = await Promise.all(Array.from({ length: 2 }, () => first.createLink(body)));
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

it('transactions that wait for each other are repeated', async () => {
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
    // Longer than PostgreSQL takes to find a deadlock.
    await sql`set local lock_timeout = '5s'`.execute(transaction);
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
  await Promise.all([
    first.server.database.writeDirectly(renameAll(ids), 'rows'),
    second.server.database.writeDirectly(renameAll(ids.toReversed()), 'rows'),
  ]);
  // Each has changed both rows once, and one of them the first row before, until PostgreSQL ended it.
  expect(running).toBe(5);
});

it('a write of an organization whose row is locked fails with 503 after 10 seconds', async () => {
  const { caller, holder, refused } = locked;
  const { status, afterMs } = await refused;
  expect(status).toBe(503);
  expect(afterMs).toBeGreaterThan(10_000);
  expect(afterMs).toBeLessThan(20_000);
  await holder.query('commit');
  expect((await caller.call('createUrl', { body })).status).toBe(201);
  expect((await caller.call('listUrls')).data.total).toBe(1);
});
