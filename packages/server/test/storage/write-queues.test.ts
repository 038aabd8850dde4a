import { afterAll, expect, it } from 'vitest';
import { createClientRepository } from '../../src/auth/client-repository.js';
import { now, openRepository } from './temporary-database.js';

const stored = await openRepository();
afterAll(() => stored.close());

/** Creates an organization with 20 links and returns a function that updates all of them. */
async function openBulkUpdater() {
  const organizationId = await stored.addOrganization('scale');
  const created = await stored.create(organizationId, Array<object>(20).fill({}));
  const ids = created.map(({ id }) => id);
  let title = 0;
  return () => {
    title += 1;
    return stored.changeLinks(organizationId, ids, now, (url) => ({
      ...url,
      title: `title ${title}`,
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
  const clients = createClientRepository(stored.database);
  return (hash: string) =>
    clients.saveToken(organizationId, {
      token_hash: hash,
      client_id: clientId,
      scopes: 'urls:read',
      created_at: now,
      expires_at: now + 1000,
    });
}

// Two groups of 4 updates. A queue in the order of arrival would let all 30 pass.
const maxBefore = 8;

it('a backlog of bulk updates delays writes of another organization by a few of them', async () => {
  const update = await openBulkUpdater();
  const requestToken = await openTokenRequests();
  const other = await stored.addOrganization('scale');
  const finished: string[] = [];
  const note = (name: string) => () => finished.push(name);
  const updates = Array.from({ length: 30 }, () => update().then(note('update')));
  await Promise.race(updates);
  const others = [
    stored.create(other, [{}]).then(note('create')),
    requestToken('other').then(note('token')),
  ];
  await Promise.all([...updates, ...others]);
  for (const name of ['create', 'token']) {
    const before = finished.slice(0, finished.indexOf(name));
    expect(before.filter((each) => each === 'update').length).toBeLessThanOrEqual(maxBefore);
  }
});

it('a backlog of single writes delays a create of another organization by at most 32', async () => {
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
