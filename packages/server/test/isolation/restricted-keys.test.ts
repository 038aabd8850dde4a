import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { api as table } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import { type Caller, callerOf } from '../api/start-server.js';
import { sampleQueries } from './hand-made-samples.js';
import { recordsOf, type SampleRequest, sampleRequests } from './sample-requests.js';
import { expectValid, plainAnswer, requestInit, World } from './world.js';

// Built from the contract's table, like the tests of organizations: a new route is covered automatically.
const routes = (table as readonly Route[]).filter(({ access }) => access !== 'public');
const named = (requests: readonly SampleRequest[]) =>
  requests.map((request): [string, SampleRequest] => [request.name, request]);
const requests = routes.filter((route) => route.takesRestrictedKeys).flatMap(sampleRequests);
const foreign = requests.filter((request) => request.foreign !== 'none');
const ownOnly = requests.filter((request) => request.foreign === 'none');
const refused = routes
  .filter((route) => !route.takesRestrictedKeys)
  .map((route) => sampleRequests(route)[0] as SampleRequest);

// The tables with counts of an organization.
const counters = ['organizations', 'event_counters'];
const domains = '/api/v1/domains';
/** Returns whether a request names records of others that a key restricted to its own links cannot reach. */
const namesLinks = (request: SampleRequest) =>
  recordsOf(request).some(({ whose, collection }) => whose === 'foreign' && collection !== domains);

let world: World;
let owner: Caller;
let domainId: string;
beforeAll(async () => {
  world = await World.start();
  owner = world.api;
  domainId = (await world.api.addDomain('restricted.example.com')).id;
  const body = { targetUrl: 'https://example.com/', tags: ['outside'] };
  const { id } = await owner.createLink(body);
  await owner.call('createQr', { body: { urlId: Number(id) } });
  await owner.call('createQr', { body: { data: 'standalone' } });
  await world.api.click(id);
});
afterAll(() => world.api.stop());

/** Creates a key. Returns its caller after the server has stored its first use, which changes a row. */
async function createKey(restriction: object): Promise<Caller> {
  const { data } = await owner.call('createApiKey', { body: { name: 'key', ...restriction } });
  const caller = callerOf(world.api.server.url, data.key, owner.organizationId);
  await caller.call('getMe');
  await vi.waitFor(
    async () => {
      const { items } = (await owner.call('listApiKeys')).data;
      expect(items.find(({ id }) => id === data.id)?.lastUsedAt).not.toBeNull();
    },
    { timeout: 30_000 },
  );
  return caller;
}

const kinds = [
  { kind: 'a domain', restriction: () => ({ domainId }), outside: foreign },
  {
    kind: 'its own links',
    restriction: () => ({ onlyOwnLinks: true }),
    outside: foreign.filter(namesLinks),
  },
];

describe.each(kinds)('for a key that is restricted to $kind', ({ restriction, outside }) => {
  let key: Caller;
  beforeAll(async () => {
    key = await createKey(restriction());
  });

  // Before a key has links on the domain.
  const reads = ownOnly.filter(
    ({ route: { method, operationId } }) =>
      method === 'get' && operationId !== 'getMe' && !(operationId in sampleQueries),
  );
  it.each(named(reads))('other records are not read: %s', async (_, request) => {
    const ask = async (caller: Caller) => {
      const response = await world.send(
        caller,
        request.route,
        request as { path: string; body: undefined },
      );
      expectValid(response, request);
      return plainAnswer(response, [caller.organizationId]);
    };
    expect(await ask(await createKey(restriction()))).toBe(await ask(await world.newcomer()));
  });

  it.each(named(outside))('other records look nonexistent: %s', async (_, request) => {
    const callers = { stranger: key, owner };
    await world.expectNonexistent(request, callers, new Map([[domains, domainId]]));
  });

  const writes = ownOnly.filter(({ route }) => route.method !== 'get');
  it.each(named(writes))('other records are not changed: %s', async (_, request) => {
    const before = await world.rows();
    const { path, send } = await world.prepareOwn(key, request);
    const response = await send();
    expectValid(response, { ...request, path });
    const after = await world.rows();
    for (const [name, rows] of Object.entries(before)) {
      if (counters.includes(name)) continue;
      expect(after[name], name).toEqual(expect.arrayContaining([...rows]));
    }
  });
});

describe('the server refuses a restricted key', () => {
  let key: Caller;
  beforeAll(async () => {
    key = await createKey({ onlyOwnLinks: true });
  });

  it.each(named(refused))('%s', async (_, request) => {
    const { route } = request;
    const shared = new Map<string, string>();
    const made = { own: shared, foreign: shared };
    const { path, body } = (await world.prepare(request, { own: owner, foreign: owner }, made))
      .request;
    const before = await world.rows();
    const response = await key.send(route.method.toUpperCase(), path, requestInit(body));
    expect(response.outcome).toBe(
      route.access === 'operator' ? '401 UNAUTHORIZED' : '403 INSUFFICIENT_SCOPE',
    );
    if (route.access !== 'operator') expect(response.error.message).toContain('restricted');
    await world.expectUnchanged(before);
  });
});
