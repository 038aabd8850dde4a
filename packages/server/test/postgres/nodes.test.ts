import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { type PlanTable, standardPlans } from '../../src/organizations/plans.js';
import { type Caller, callerOf, person, testOperatorKey } from '../api/start-server.js';
import { poll } from '../poll.js';
import { receiver } from '../webhooks/receiver.js';
import { type Node, startTwoNodes } from './two-nodes.js';

const bundle = 100;
const plans: PlanTable = {
  ...standardPlans,
  developer: { ...standardPlans.developer, linkBundle: bundle },
};
const asPerson = { headers: person };
const body = { targetUrl: 'https://example.com/before' };
// How long a visitor may get the previous state.
const staleMs = 1_000;

const options = { plans, thresholds: [10], operatorKey: testOperatorKey };
const pair = await startTwoNodes({ ...options, allowPrivateNetwork: true });
const [first, second] = pair.nodes;
afterAll(() => pair.stop());

const locationOf = async (node: Node, path: string) =>
  (await node.visit(path)).headers.get('location');

/** Returns how many milliseconds it takes until the condition holds. */
async function timeUntil(holds: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  await poll('the change on the other node', holds, Boolean, { timeoutMs: 10_000, intervalMs: 10 });
  return performance.now() - startedAt;
}

describe('a change on one node takes effect on the other within a second', () => {
  async function newCachedLink(): Promise<{ id: string; path: string }> {
    const data = await first.createLink(body);
    const path = `/${data.shortCode}`;
    // Both nodes have cached it now.
    expect([await locationOf(first, path), await locationOf(second, path)]).toEqual(
      Array(2).fill(body.targetUrl),
    );
    return { id: data.id, path };
  }
  const isRedirectedTo = (path: string, targetUrl: string) => async () =>
    (await locationOf(second, path)) === targetUrl;

  it('a new target', async () => {
    const { id, path } = await newCachedLink();
    const targetUrl = 'https://example.com/after';
    await first.call('updateUrl', { params: { id }, body: { targetUrl } });
    expect(await locationOf(first, path)).toBe(targetUrl);
    expect(await timeUntil(isRedirectedTo(path, targetUrl))).toBeLessThan(staleMs);
  });

  type Change = { readonly id: string; readonly operator: Caller };
  type Step = (of: Change) => Promise<unknown>;
  const refusals: readonly [string, number, Step, Step | undefined][] = [
    [
      'a link that was deactivated',
      410,
      ({ id }) => first.call('deleteUrl', { params: { id } }),
      ({ id }) => first.call('restoreUrl', { params: { id } }),
    ],
    [
      'a link that was erased',
      404,
      ({ id }) => first.call('deleteUrl', { params: { id }, query: { erase: true } }),
      undefined,
    ],
    [
      'a link that was taken down',
      451,
      async ({ id, operator }) => {
        const { shortUrl } = await first.getLink(id);
        return operator.call('takeDownUrl', { body: { shortUrl, reason: 'phishing' } });
      },
      ({ id, operator }) => operator.call('undoTakedown', { params: { id } }),
    ],
    [
      'a host that the operator blocks',
      451,
      ({ operator }) =>
        operator.call('blockHost', { body: { host: 'example.com', reason: 'phishing' } }),
      ({ operator }) => operator.call('unblockHost', { params: { host: 'example.com' } }),
    ],
    [
      'an organization that was suspended',
      410,
      ({ operator }) => suspend(operator, true),
      ({ operator }) => suspend(operator, false),
    ],
  ];
  const suspend = (operator: Caller, isSuspended: boolean) =>
    operator.call('updateOrganization', {
      params: { id: first.organizationId },
      body: { isSuspended },
    });
  it.each(refusals)('%s, and its end', async (_, status, change, undo) => {
    const { id, path } = await newCachedLink();
    const operator = callerOf(first.server.url, testOperatorKey, '');
    await change({ id, operator });
    const isRefused = async () => (await second.visit(path)).status === status;
    expect(await timeUntil(isRefused)).toBeLessThan(staleMs);
    await undo?.({ id, operator });
    if (undo) expect(await timeUntil(isRedirectedTo(path, body.targetUrl))).toBeLessThan(staleMs);
  });

  it('a deleted organization, whose links are unknown', async () => {
    const [caller] = await pair.addOrganization('developer');
    const path = `/${(await caller.createLink(body)).shortCode}`;
    expect(await locationOf(second, path)).toBe(body.targetUrl);
    const operator = callerOf(first.server.url, testOperatorKey, '');
    const params = { id: caller.organizationId };
    await operator.call('deleteOrganization', { params, body: { confirm: params.id } });
    const statusOf = async () => (await operator.call('getOrganization', { params })).status;
    await expect.poll(statusOf).toBe(404);
    const isUnknown = async () => (await second.visit(path)).status === 404;
    expect(await timeUntil(isUnknown)).toBeLessThan(staleMs);
  });

  it('the addresses that an organization excludes', async () => {
    const { path } = await newCachedLink();
    await first.call('updateOwnOrganization', { body: { excludeAddresses: ['127.0.0.0/8'] } });
    const isExcluded = async () => {
      await second.visit(path, asPerson);
      const metrics = await (await fetch(`${second.server.url}/metrics`)).text();
      return /^shorty_visits_total\{kind="excluded",.*\} [1-9]/m.test(metrics);
    };
    expect(await timeUntil(isExcluded)).toBeLessThan(2 * staleMs);
    await first.call('updateOwnOrganization', { body: { excludeAddresses: [] } });
    // The counter of links changes all the time, and evicts nothing.
    const changes = () =>
      sql`select from cache_changes where kind = 'organizations'`.execute(
        first.server.database.read,
      );
    const before = (await changes()).rows.length;
    await newCachedLink();
    expect((await changes()).rows).toHaveLength(before);
  });

  it('the settings of a domain', async () => {
    const hostname = 'go.nodes.example';
    const verifyOn = async (node: Pick<Node, 'call'>) => {
      const { data } = await node.call('createDomain', { body: { hostname } });
      pair.zone.set(data.txtRecord.name, [data.txtRecord.value]);
      await node.call('verifyDomain', { params: { id: data.id } });
      return data;
    };
    const domain = await verifyOn(first);
    const params = { id: domain.id };
    const link = { ...body, domainId: domain.id, customSlug: 'Sale-On-Nodes' };
    const { id } = await first.createLink(link);
    // `fetch` replaces the Host header.
    const follow = async (path: string) => {
      const call = get(second.server.url + path, { headers: { host: hostname } });
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      response.resume();
      return response.headers.location ?? response.statusCode;
    };
    // The second node has cached the host, the link, and that there is no other one.
    await expect.poll(() => follow('/Sale-On-Nodes?a=1')).toBe(body.targetUrl);
    expect(await follow('/sale-on-nodes')).toBe(404);
    const expectSoon = async (path: string, expected: string | number) =>
      expect(await timeUntil(async () => (await follow(path)) === expected)).toBeLessThan(staleMs);
    const change = async (settings: object, path: string, expected: string | number) => {
      await first.call('updateDomain', { params, body: settings });
      await expectSoon(path, expected);
    };
    await change({ forwardQuery: true }, '/Sale-On-Nodes?a=1', `${body.targetUrl}?a=1`);
    await change({ ignoreCase: true }, '/sale-on-nodes', body.targetUrl);
    const notFoundUrl = 'https://www.example.com/404';
    await change({ notFoundUrl }, '/unknown', notFoundUrl);
    await change({ notFoundUrl: null, ignoreCase: false }, '/sale-on-nodes', 404);
    // Another organization verifies the domain after it was deleted.
    await first.call('deleteUrl', { params: { id } });
    await expectSoon('/Sale-On-Nodes', 410);
    await first.call('deleteDomain', { params });
    expect(await follow('/Sale-On-Nodes')).toBe(410);
    const [other] = await pair.addOrganization('developer');
    await verifyOn(other);
    await expectSoon('/Sale-On-Nodes', 404);
  });
});

describe('limits and counters hold across nodes', () => {
  it('a plan of 100 links accepts exactly 100 on both nodes together', async () => {
    const callers = await pair.addOrganization('developer');
    let created = 0;
    await Promise.all(
      Array.from({ length: 32 }, async (_, client) => {
        const caller = callers[client % 2] as (typeof callers)[0];
        for (;;) {
          const response = await caller.call('createUrl', { body });
          if (response.status !== 201) return expect(response.outcome).toBe('402 QUOTA_EXCEEDED');
          created += 1;
        }
      }),
    );
    expect(created).toBe(bundle);
    expect((await callers[0].call('listUrls', { query: { limit: 1 } })).data.total).toBe(bundle);
  });

  it('visits on both nodes add up, and a threshold creates one event', async () => {
    const hook = await receiver();
    await first.call('createWebhook', {
      body: { url: hook.url, events: ['url.click_threshold'] },
    });
    const data = await first.createLink(body);
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        (at % 2 ? first : second).visit(`/${data.shortCode}`, asPerson),
      ),
    );
    const countOf = async (node: Node) => (await node.getLink(data.id)).clickCount;
    await expect.poll(() => countOf(first)).toBe(40);
    expect(await countOf(second)).toBe(40);
    const { data: report } = await second.call('getUrlClicks', { params: { id: data.id } });
    expect(report.totals.totalClicks).toBe(40);
    await hook.arrived(1);
    // An event that comes later proves that there is no second event for the first link.
    const later = await second.createLink(body);
    for (let visit = 0; visit < 10; visit += 1) await second.visit(`/${later.shortCode}`, asPerson);
    await hook.arrived(2);
    expect(hook.received.map(({ event }) => event.data)).toMatchObject([
      { id: data.id, threshold: 10 },
      { id: later.id, threshold: 10 },
    ]);
  });
});
