import { afterAll, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import { type SampleRequest, sampleRequests } from '../isolation/sample-requests.js';
import { World } from '../isolation/world.js';

const routes: readonly Route[] = table;
const creates = routes.filter(
  ({ method, path }) =>
    method === 'post' &&
    routes.some((other) => other.method === 'get' && other.path === `${path}/{id}`),
);

const world = await World.start();
afterAll(() => world.api.stop());

it.each(creates.map((route) => [route.operationId, route] as const))(
  '%s returns what a later read returns',
  async (_, route) => {
    const [request] = sampleRequests(route) as [SampleRequest];
    const caller = await world.newcomer();
    const { path, send } = await world.prepareOwn(caller, request);
    const created = await send();
    const reader = route.access === 'operator' ? world.api.operator : caller;
    const read = await reader.send('GET', `${path}/${(created.data as { id: string }).id}`);
    expect(created.data).toMatchObject(read.data as object);
    expect(created.headers.get('etag')).toBe(read.headers.get('etag'));
  },
);
