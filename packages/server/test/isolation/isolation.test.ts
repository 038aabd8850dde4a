import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import {
  isForOrganizations,
  type Route,
  scopes,
  scopesOf,
} from '../../src/contract/define-route.js';
import type { ApiResponse } from '../api/api-response.js';
import { type Caller, callerOf } from '../api/start-server.js';
import { sampleQueries } from './hand-made-samples.js';
import { type SampleRequest, sampleRequests } from './sample-requests.js';
import { expectValid, type Made, plainAnswer, requestInit, World } from './world.js';

// Built from the contract's table, so a new route is covered automatically. If no sample request can
// be built for a route, this file fails and says what to add.
const routes = (table as readonly Route[]).filter(isForOrganizations);
const named = (requests: readonly SampleRequest[]) =>
  requests.map((request): [string, SampleRequest] => [request.name, request]);
const requests = routes
  .flatMap(sampleRequests)
  // A required field that is also tested would give the same request twice.
  .filter(({ field, route, path, body }, at, all) => {
    const isSame = (other: SampleRequest) =>
      other.route === route && other.path === path && other.body === body;
    return field === undefined || all.findIndex(isSame) === at;
  });
const plain = named(requests.filter(({ field }) => field === undefined));
const foreign = named(requests.filter((request) => request.foreign !== 'none'));
const ownOnly = named(requests.filter((request) => request.foreign === 'none'));
const ownReads = ownOnly.filter(
  ([, { route }]) => route.method === 'get' && !(route.operationId in sampleQueries),
);

let world: World;
let owner: Caller;
/** One record of each collection, for requests that are refused. */
const ownersRecords = new Map<string, string>();
const shared: Made = { own: ownersRecords, foreign: ownersRecords };
/** The responses to a new organization before any records existed. */
const onEmptyServer = new Map<string, string>();

beforeAll(async () => {
  world = await World.start();
  owner = world.api;
  for (const [name, request] of ownReads) {
    const newcomer = await world.newcomer();
    onEmptyServer.set(name, withoutOwnCounts(await ask(newcomer, request), newcomer));
  }
  for (const [, request] of foreign) await prepareShared(request);
  const [link] = (await owner.call('listUrls')).data.items;
  await world.api.click(link?.id as string);
});
afterAll(() => world.api.stop());

const prepareShared = (request: SampleRequest) =>
  world.prepare(request, { own: owner, foreign: owner }, shared);

async function ask(caller: Caller, request: SampleRequest): Promise<ApiResponse> {
  return world.send(caller, request.route, (await prepareShared(request)).request);
}

// Each organization has made one call by then, but its count may not be recorded yet.
const withoutOwnCounts = (response: ApiResponse, caller: Caller) =>
  plainAnswer(response, [caller.organizationId])
    .replace(/"api_call":\{[^}]*\}/, '')
    // Its own client.
    .replace(/"client":\{[^}]*\}/, '')
    // A cursor contains the id of an item.
    .replace(/"nextAfter":"[^"]*"/, '');

/** Returns ids and codes of the owner, which no response to another organization may contain. */
async function tracesOfOwner(): Promise<string[]> {
  const urls = await world.api.server.database.read
    .selectFrom('urls')
    .select(['id', 'short_code'])
    .where('organization_id', '=', owner.organizationId)
    .execute();
  return [owner.organizationId, ...urls.flatMap((url) => [String(url.id), url.short_code])];
}

async function expectNoTrace(response: ApiResponse, named: readonly string[] = []): Promise<void> {
  const traces = await tracesOfOwner();
  expect(traces.filter((trace) => !named.includes(trace) && response.text.includes(trace))).toEqual(
    [],
  );
}

it.each(plain)(
  'a request without a token fails with 401 and changes nothing %s',
  async (_, request) => {
    const { path, body } = (await prepareShared(request)).request;
    const before = await world.rows();
    const method = request.route.method.toUpperCase();
    const response = await world.api.visit(path, { method, ...requestInit(body) });
    expect(response.outcome).toBe('401 UNAUTHORIZED');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    const unknown = callerOf(world.api.server.url, `shorty_at_${'A'.repeat(43)}`, '');
    const second = await world.send(unknown, request.route, { path, body });
    expect(second.outcome).toBe('401 UNAUTHORIZED');
    await world.expectUnchanged(before);
  },
);

describe('a request without the scope fails with 403 and changes nothing', () => {
  const scoped = plain.filter(([, { route }]) => scopesOf(route) !== undefined);

  it.each(scoped)('%s', async (_, request) => {
    const needed = scopesOf(request.route) ?? [];
    const others = scopes.filter((scope) => !needed.includes(scope)).join(' ');
    const narrow = await world.api.signIn(world.api.credentials, others);
    const { request: filled } = await prepareShared(request);
    const before = await world.rows();
    const response = await world.send(narrow, request.route, filled);
    expect(response.outcome).toBe('403 INSUFFICIENT_SCOPE');
    for (const scope of needed) expect(response.error.message).toContain(scope);
    await world.expectUnchanged(before);
  });
});

it.each(foreign)(
  'records of another organization look nonexistent and are not changed %s',
  async (_, request) => {
    const stranger = await world.newcomer();
    const { response, foreignIds } = await world.expectNonexistent(request, { stranger, owner });
    await expectNoTrace(response, foreignIds);
  },
);

describe('an organization reads no data of another', () => {
  it.each(ownReads)(
    '%s returns the same to a new organization as on an empty server',
    async (name, request) => {
      const newcomer = await world.newcomer();
      const response = await ask(newcomer, request);
      expectValid(response, request);
      expect(withoutOwnCounts(response, newcomer)).toBe(onEmptyServer.get(name));
      await expectNoTrace(response);
    },
  );
});

describe('the writes of an organization change no data of another', () => {
  const ownWrites = ownOnly.filter(([, { route }]) => route.method !== 'get');

  it.each(ownWrites)('%s', async (_, request) => {
    const before = await world.rows();
    const newcomer = await world.newcomer();
    const response = await ask(newcomer, request);
    expectValid(response, request);
    await expectNoTrace(response);
    for (const [name, rows] of Object.entries(await world.rows())) {
      expect(rows, name).toEqual(expect.arrayContaining([...(before[name] ?? [])]));
    }
  });
});
