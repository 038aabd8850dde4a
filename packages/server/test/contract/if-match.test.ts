import { afterAll, describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import { isForOrganizations, type Route } from '../../src/contract/define-route.js';
import { takesIfMatch } from '../../src/preconditions/if-match.js';
import { type SampleRequest, sampleRequests } from '../isolation/sample-requests.js';
import { requestInit, World } from '../isolation/world.js';

const routes: readonly Route[] = table;
const forOrganizations = routes.filter(isForOrganizations);
// Built from the contract's table. Every record of an organization that has a PATCH
// has versions.
const patches = forOrganizations.filter(
  ({ method, path }) => method === 'patch' && path.endsWith('{id}'),
);
const conditional = routes.filter(takesIfMatch).map((route) => {
  const [plain] = sampleRequests(route) as [SampleRequest];
  return [route.operationId, plain] as const;
});
const collectionOf = ({ path }: Route) => path.replace('/{id}', '');

const world = await World.start();
afterAll(() => world.api.stop());

/** Creates the record of a request. Returns functions that read it and that send the request. */
async function prepare(request: SampleRequest) {
  const caller = await world.newcomer();
  const { path, send } = await world.prepareOwn(caller, request);
  return {
    read: () => caller.send('GET', path),
    send: (ifMatch: string) => send({ 'if-match': ifMatch }),
    /** Changes the record as another editor does. */
    async change() {
      const patch = patches.find((route) => route.path === request.route.path) as Route;
      const [sample] = sampleRequests(patch) as [SampleRequest];
      const response = await caller.send('PATCH', path, requestInit(sample.body));
      expect(response.status).toBe(200);
    },
  };
}

const etagOf = ({ headers }: { headers: Headers }) => headers.get('etag') as string;

it('each record with a PATCH has an ETag where it is created, read, changed and deleted', () => {
  for (const { path } of patches) {
    const onRecord = routes.filter((route) => route.path === path);
    const creates = routes.filter(
      (route) => route.method === 'post' && route.path === collectionOf({ path } as Route),
    );
    for (const { operationId, hasVersions } of [...onRecord, ...creates]) {
      expect(hasVersions, operationId).toBe(true);
    }
  }
});

describe('If-Match', () => {
  it.each(conditional)('%s changes the version that was read', async (_, request) => {
    const { read, send } = await prepare(request);
    const before = etagOf(await read());
    const changed = await send(before);
    expect(changed.status).toBe(200);
    expect(etagOf(changed)).toMatch(/^"[0-9a-z]+"$/);
    if (request.route.method === 'patch') {
      expect(etagOf(changed)).not.toBe(before);
      expect(etagOf(await read())).toBe(etagOf(changed));
    }
  });

  it.each(conditional)('%s refuses a version that another editor changed', async (_, request) => {
    const { read, send, change } = await prepare(request);
    const before = etagOf(await read());
    // Within the same millisecond: the clock stands still.
    await change();
    const rows = await world.rows();
    const refused = await send(before);
    expect(refused.outcome).toBe('412 PRECONDITION_FAILED');
    expect(refused.error.message).toContain('Read it again');
    await world.expectUnchanged(rows);
    const current = etagOf(await read());
    expect(etagOf(refused)).toBe(current);
    expect((await send(current)).status).toBe(200);
  });

  it.each(conditional)('%s takes a list of ETags, and * for any', async (_, request) => {
    const { read, send } = await prepare(request);
    expect((await send('"a", "b"')).outcome).toBe('412 PRECONDITION_FAILED');
    expect((await send('')).outcome).toBe('400 VALIDATION_FAILED');
    const isDelete = request.route.method === 'delete';
    if (!isDelete) expect((await send('*')).status).toBe(200);
    expect((await send(`"a" ,W/"b",${etagOf(await read())}`)).status).toBe(200);
    const missing = await send('*');
    const isGone = isDelete && request.route.operationId !== 'deleteUrl';
    expect(missing.status).toBe(isGone ? 404 : 200);
  });

  it.each(conditional)('%s never matches a weak ETag, and says why', async (_, request) => {
    const { read, send } = await prepare(request);
    const etag = etagOf(await read());
    const refused = await send(`W/${etag}`);
    expect(refused.outcome).toBe('412 PRECONDITION_FAILED');
    expect(refused.error.message).toContain(`send ${etag}`);
  });

  it.each(['abc', '"a', '"a" "b"', '*, "a"', 'w/"a"', '"a",', `"${'a'.repeat(4_095)}"`])(
    'is refused with its rule when it is %s',
    async (ifMatch) => {
      const [, request] = conditional[0] as (typeof conditional)[number];
      const { send } = await prepare(request);
      const refused = await send(ifMatch);
      expect(refused.outcome).toBe('400 VALIDATION_FAILED');
      expect(refused.invalidFields).toEqual(['If-Match']);
    },
  );

  it('of two editors that send a change at once, one is refused', async () => {
    for (const [operationId, request] of conditional) {
      if (request.route.method !== 'patch') continue;
      const { read, send } = await prepare(request);
      const etag = etagOf(await read());
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => send(etag)));
      const statuses = outcomes.map(({ status }) => status).sort();
      expect(statuses, operationId).toEqual([200, 412, 412, 412]);
    }
  });
});

it('the ETag of a new record does not change with clicks', async () => {
  const { api } = world;
  const body = { targetUrl: 'https://example.com/' };
  const created = await api.call('createUrl', { body });
  const { id } = created.data;
  await api.click(id);
  expect(etagOf(await api.call('getUrl', { params: { id } }))).toBe(etagOf(created));
});
