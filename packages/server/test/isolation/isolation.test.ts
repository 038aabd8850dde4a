import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { api as table } from '../../src/api/api.js';
import { type Route, scopes, scopesOf } from '../../src/contract/define-route.js';
import type { Answer } from '../api/answer.js';
import { type Caller, callerOf } from '../api/start-server.js';
import { type SampleRequest, sampleRequests } from './sample-requests.js';
import { type Made, plainAnswer, requestInit, World } from './world.js';

// Made from the contract's table, so that a new route is covered by itself. Where nobody can tell
// what a request of it would look like, this file fails and says what to add.
const routes = (table as readonly Route[]).filter(({ access }) => access !== 'public');
const named = (requests: readonly SampleRequest[]) =>
  requests.map((request): [string, SampleRequest] => [request.name, request]);
const requests = routes
  .flatMap(sampleRequests)
  // What a route needs may be the very field that is tried.
  .filter(({ field, route, path, body }, at, all) => {
    const isSame = (other: SampleRequest) =>
      other.route === route && other.path === path && other.body === body;
    return field === undefined || all.findIndex(isSame) === at;
  });
const plain = named(requests.filter(({ field }) => field === undefined));
const foreign = named(requests.filter((request) => request.foreign !== 'none'));
const ownOnly = named(requests.filter((request) => request.foreign === 'none'));
const readsOwn = ownOnly.filter(([, { route }]) => route.method === 'get');

let world: World;
let owner: Caller;
/** One record of each collection, for those who are refused anyway. */
const ownersRecords = new Map<string, string>();
const shared: Made = { own: ownersRecords, foreign: ownersRecords };
/** What newcomers were answered before anybody had anything. */
const early = new Map<string, string>();

beforeAll(async () => {
  world = await World.start();
  owner = world.api;
  for (const [name, request] of readsOwn) {
    const newcomer = await world.newcomer();
    early.set(name, withoutOneself(await ask(newcomer, request), newcomer));
  }
  for (const [, request] of foreign) await prepareShared(request);
  const { id, shortCode } = (await owner.call('listUrls')).data.items[0] ?? {};
  await world.api.visit(`/${shortCode}`, {
    headers: { 'user-agent': 'Mozilla/5.0 Firefox/128.0' },
  });
  await vi.waitFor(async () => {
    const { data } = await owner.call('getUrl', { params: { id: id as string } });
    expect(data.clickCount).toBe(1);
  });
});
afterAll(() => world.api.stop());

const prepareShared = (request: SampleRequest) =>
  world.prepare(request, { own: owner, foreign: owner }, shared);

async function ask(caller: Caller, request: SampleRequest): Promise<Answer> {
  return world.send(caller, request.route, (await prepareShared(request)).request);
}

// Each of them has made one call when it is asked, but the count of it may be on its way.
const withoutOneself = (answer: Answer, caller: Caller) =>
  plainAnswer(answer, [caller.organizationId]).replace(/"api_call":\{[^}]*\}/, '');

/** What the owner has that its answers must not be found in somebody else's. */
async function tracesOfOwner(): Promise<string[]> {
  const urls = await world.api.server.database.read
    .selectFrom('urls')
    .select(['id', 'short_code'])
    .where('organization_id', '=', owner.organizationId)
    .execute();
  return [owner.organizationId, ...urls.flatMap((url) => [String(url.id), url.short_code])];
}

async function expectNoTrace(answer: Answer, named: readonly string[] = []): Promise<void> {
  const traces = await tracesOfOwner();
  expect(traces.filter((trace) => !named.includes(trace) && answer.text.includes(trace))).toEqual(
    [],
  );
}

describe('without a token a request is answered 401 and changes nothing', () => {
  it.each(plain)('%s', async (_, request) => {
    const { path, body } = (await prepareShared(request)).request;
    const before = await world.rows();
    const method = request.route.method.toUpperCase();
    const answer = await world.api.visit(path, { method, ...requestInit(body) });
    expect(answer.outcome).toBe('401 UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    const unknown = callerOf(world.api.server.url, `shorty_at_${'A'.repeat(43)}`, '');
    const second = await world.send(unknown, request.route, { path, body });
    expect(second.outcome).toBe('401 UNAUTHORIZED');
    expect(await world.rows()).toEqual(before);
  });
});

describe('a token without the scope is answered 403 and changes nothing', () => {
  const scoped = plain.filter(([, { route }]) => scopesOf(route) !== undefined);

  it.each(scoped)('%s', async (_, request) => {
    const needed = scopesOf(request.route) ?? [];
    const others = scopes.filter((scope) => !needed.includes(scope)).join(' ');
    const narrow = await world.api.signIn(world.api.credentials, others);
    const { request: filled } = await prepareShared(request);
    const before = await world.rows();
    const answer = await world.send(narrow, request.route, filled);
    expect(answer.outcome).toBe('403 INSUFFICIENT_SCOPE');
    for (const scope of needed) expect(answer.error.message).toContain(scope);
    expect(await world.rows()).toEqual(before);
  });
});

describe("another organization's records are as if they were not there, and stay as they are", () => {
  it.each(foreign)('%s', async (_, request) => {
    const stranger = await world.newcomer();
    const { route } = request;
    const filled = await world.prepare(request, { own: stranger, foreign: owner });
    const before = await world.rows();
    const answer = await world.send(stranger, route, filled.request);
    expect(await world.rows()).toEqual(before);
    if (request.foreign === 'path') expect(answer.outcome).toBe('404 NOT_FOUND');
    await expectNoTrace(answer, filled.foreignIds);
    const missing = filled.missing();
    const nothing = await world.send(stranger, route, missing.request);
    const seen = plainAnswer(answer, filled.foreignIds);
    expect(seen).toBe(plainAnswer(nothing, missing.ids));

    // The very same request means something to the owner: else this would prove nothing.
    const all = new Map<string, string>();
    const own = await world.prepare(
      request,
      { own: owner, foreign: owner },
      { own: all, foreign: all },
    );
    const answerToOwner = await world.send(owner, route, own.request);
    expectMeaning(answerToOwner, request);
    expect(plainAnswer(answerToOwner, own.foreignIds)).not.toBe(seen);
  });
});

describe("what an organization reads of its own has nothing of another's", () => {
  it.each(readsOwn)('%s answers a newcomer as if nobody else was there', async (name, request) => {
    const newcomer = await world.newcomer();
    const answer = await ask(newcomer, request);
    expectMeaning(answer, request);
    expect(withoutOneself(answer, newcomer)).toBe(early.get(name));
    await expectNoTrace(answer);
  });
});

describe('what an organization writes of its own leaves all others as they are', () => {
  const writesOwn = ownOnly.filter(([, { route }]) => route.method !== 'get');

  it.each(writesOwn)('%s', async (_, request) => {
    const before = await world.rows();
    const newcomer = await world.newcomer();
    const answer = await ask(newcomer, request);
    expectMeaning(answer, request);
    await expectNoTrace(answer);
    for (const [name, rows] of Object.entries(await world.rows())) {
      expect(rows, name).toEqual(expect.arrayContaining([...(before[name] ?? [])]));
    }
  });
});

/** Whether the request was understood; it may be refused all the same, for what it asks. */
function expectMeaning(answer: Answer, { name, body }: SampleRequest): void {
  const why = `${name} of its own with ${body} answered ${answer.status} ${answer.text}: where that is the sample's fault, add a body to sampleBodies in test/isolation/hand-made-samples.ts`;
  expect(answer.status, why).toBeLessThan(500);
  expect([401, 403, 404, 405], why).not.toContain(answer.status);
  if (answer.status >= 400) expect(answer.error.code, why).not.toBe('VALIDATION_FAILED');
}
