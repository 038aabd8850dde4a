import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ClientRepository } from '../../src/auth/client-repository.js';
import { QueueClosedError } from '../../src/fair-queue.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { emptyDatabase, engine } from '../engine.js';
import { now, openRepository, type Stored, updateUrls } from './temporary-database.js';

let stored: Stored;
beforeAll(async () => {
  stored = await openRepository();
});
afterAll(() => stored.close());
afterEach(() => vi.restoreAllMocks());

/** Creates an organization with 20 links and returns a function that updates all of them. */
async function openBulkUpdater() {
  const organizationId = await stored.addOrganization('scale');
  const outcomes = await stored.create(organizationId, Array<object>(20).fill({}));
  const ids = outcomes.flatMap((outcome) => (outcome.status === 'created' ? [outcome.id] : []));
  expect(ids).toHaveLength(20);
  let title = 0;
  return () => {
    title += 1;
    return updateUrls(stored.urls, organizationId, ids, now, (url) => ({
      ok: true,
      url: { ...url, title: `title ${title}` },
    }));
  };
}

/** Creates an organization and returns a function that stores an access token of its client. */
async function openTokenRequests() {
  const organizationId = await stored.addOrganization('scale');
  const { id: clientId } = await stored.database.read
    .selectFrom('clients')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const clients = new ClientRepository(stored.database);
  return (hash: string) =>
    clients.saveToken(organizationId, {
      token_hash: hash,
      client_id: clientId,
      scopes: 'urls:read',
      created_at: now,
      expires_at: now + 1000,
    });
}

/** Runs 30 bulk updates, and other writes after the first of them. Returns the order of completion. */
async function orderBeside(
  update: () => Promise<unknown>,
  otherWrites: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<string[]> {
  const finished: string[] = [];
  const updates = Array.from({ length: 30 }, () => update().then(() => finished.push('update')));
  await Promise.race(updates);
  const started = Object.entries(otherWrites).map(([name, run]) =>
    run().then(() => finished.push(name)),
  );
  await Promise.all([...updates, ...started]);
  return finished;
}

function updatesBefore(name: string, finished: readonly string[]): number {
  expect(finished).toContain(name);
  return finished.slice(0, finished.indexOf(name)).filter((each) => each === 'update').length;
}

// Two groups of 4 updates. PostgreSQL commits groups of two organizations at once: while it is busy, more
// of one may end before one of the other. A queue in the order of arrival would let all 30 pass.
const maxBefore = engine() === 'postgres' ? 16 : 8;

describe('a backlog of bulk updates of one organization', () => {
  it('delays a create and a token request of another organization by a few of them', async () => {
    const update = await openBulkUpdater();
    const requestToken = await openTokenRequests();
    const other = await stored.addOrganization('scale');
    const finished = await orderBeside(update, {
      create: () => stored.create(other, [{}]),
      token: () => requestToken('other'),
    });
    expect(updatesBefore('create', finished)).toBeLessThanOrEqual(maxBefore);
    expect(updatesBefore('token', finished)).toBeLessThanOrEqual(maxBefore);
  });
});

describe('a backlog of single writes of one organization', () => {
  it('delays a create of another organization by at most 32 of them', async () => {
    const organizationId = await stored.addOrganization('scale');
    const other = await stored.addOrganization('scale');
    const finished: string[] = [];
    const note = (name: string) => () => finished.push(name);
    const creates = Array.from({ length: 200 }, () =>
      stored.create(organizationId, [{}]).then(note('create')),
    );
    await Promise.race(creates);
    await stored.create(other, [{}]).then(note('other'));
    expect(finished.indexOf('other')).toBeLessThanOrEqual(32);
    await Promise.all(creates);
  });
});

it('a close refuses the writes that wait, and finishes those that run', async () => {
  const { databaseUrl, remove } = await emptyDatabase();
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  const writes = Array.from({ length: 17 }, (_, index) =>
    database.write('organization', async () => index),
  );
  const last = expect(writes.pop()).rejects.toThrow(QueueClosedError);
  await database.close();
  expect(await Promise.all(writes)).toHaveLength(16);
  await last;
  await remove();
});
