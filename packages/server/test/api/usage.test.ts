import { describe, expect, it } from 'vitest';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import type { Meter, PlanName } from '../../src/organizations/plans.js';
import { type Caller, startForFile, startForTest } from './start-server.js';

const body = { targetUrl: 'https://example.com/' };
const january = '2030-01';

const api = await startForFile();
const newCaller = async (plan: PlanName) => api.newcomer(plan);
const stranger = await newCaller('free');

const counted = async ({ organizationId }: Caller, meter: Meter = 'api_call') =>
  (
    await api.server.database.read
      .selectFrom('usage_meters')
      .select('used')
      .where('organization_id', '=', organizationId)
      .where('meter', '=', meter)
      .executeTakeFirst()
  )?.used ?? 0;

/** Returns the caller's meter once all earlier requests have been counted. */
async function calls(caller: Caller): Promise<number> {
  const before = await counted(stranger);
  // Journal lines are stored in order, so the last one proves that all others are stored.
  await stranger.call('getUsage');
  await expect.poll(() => counted(stranger)).toBe(before + 1);
  return counted(caller);
}

async function setUsed({ organizationId }: Caller, meter: Meter, used: number, month = january) {
  await api.server.database.writeDirectly((transaction) =>
    transaction
      .insertInto('usage_meters')
      .values({ organization_id: organizationId, month, meter, used })
      .execute(),
  );
}

describe('GET /api/v1/usage', () => {
  it('returns the month, the plan, every meter and the links', async () => {
    const caller = await newCaller('developer');
    await setUsed(caller, 'qr_generated', 1_003);
    await setUsed(caller, 'webhook_delivery', 150_000);
    await caller.call('createUrl', { body });
    expect(await calls(caller)).toBe(1);
    expect((await caller.call('getUsage')).data).toEqual({
      period: january,
      plan: 'developer',
      meters: {
        api_call: { used: 1 },
        qr_generated: { used: 1_003, included: 1_000, overage: 3, overageUsd: 0.15 },
        webhook_delivery: { used: 150_000, included: 100_000, overage: 50_000, overageUsd: 0.5 },
      },
      links: { used: 1, included: 10_000 },
    });
  });

  it.each([
    ['free', 50, 25, 0],
    ['developer', 10_000, 1_000, 100_000],
    ['scale', 250_000, 25_000, 1_000_000],
    ['enterprise', null, null, null],
  ] as const)('the plan %s includes %j links, %j codes and %j deliveries', async (plan, ...all) => {
    const { data } = await (await newCaller(plan)).call('getUsage');
    const { qr_generated, webhook_delivery } = data.meters;
    expect(data.plan).toBe(plan);
    expect([data.links.included, qr_generated.included, webhook_delivery.included]).toEqual(all);
  });

  it('a past month has its own figures, which are zero without use', async () => {
    const caller = await newCaller('scale');
    await setUsed(caller, 'qr_generated', 25_002, '2029-12');
    const read = async (period: string) =>
      (await caller.call('getUsage', { query: { period } })).data;
    const december = await read('2029-12');
    expect(december.period).toBe('2029-12');
    expect(december.meters.qr_generated).toMatchObject({ overage: 2, overageUsd: 0.06 });
    expect((await read('2029-11')).meters.qr_generated.used).toBe(0);
  });

  it('refuses a future month and names the current one', async () => {
    const response = await api.call('getUsage', { query: { period: '2030-02' } });
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.error.details).toEqual([
      { path: 'period', message: 'must not lie in the future (the current month is 2030-01)' },
    ]);
  });
});

describe('the api_call meter is charged once per HTTP request', () => {
  const bulk = { urls: Array.from({ length: 100 }, () => body) };
  const outcomes: [string, (caller: Caller) => Promise<{ status: number }>, number][] = [
    ['a read', (caller) => caller.call('listUrls'), 200],
    ['a bulk request of 100 items', (caller) => caller.call('bulkCreateUrls', { body: bulk }), 201],
    [
      'a bulk request whose items all fail',
      (caller) => caller.call('bulkCreateUrls', { body: { urls: [{}, {}] } }),
      207,
    ],
    [
      'a body that is not JSON',
      (caller) =>
        caller.send('POST', '/api/v1/urls', {
          headers: { 'content-type': 'application/json' },
          body: '{',
        }),
      400,
    ],
  ];

  it.each(outcomes)('%s', async (_, send, status) => {
    const caller = await newCaller('developer');
    expect((await send(caller)).status).toBe(status);
    expect(await calls(caller)).toBe(1);
  });

  it('a request without the scope counts', async () => {
    const credentials = await api.createOrganization('developer', ['qr:read']);
    const caller = await api.signIn(credentials);
    expect((await caller.call('listUrls')).status).toBe(403);
    expect(await calls(caller)).toBe(1);
  });

  it('a repeated request with an Idempotency-Key counts again', async () => {
    const caller = await newCaller('developer');
    const headers = { 'idempotency-key': 'again' };
    for (let sent = 0; sent < 2; sent += 1) await caller.call('createUrl', { body, headers });
    expect(await calls(caller)).toBe(2);
  });

  it('requests with an unknown token and token requests do not count', async () => {
    await calls(stranger);
    const countRows = async () =>
      (await api.server.database.read.selectFrom('usage_meters').selectAll().execute()).length;
    const before = await countRows();
    const caller = await newCaller('developer');
    await api.visit('/api/v1/urls');
    await api.visit('/api/v1/urls', { headers: { authorization: `Bearer ${'x'.repeat(40)}` } });
    await api.visit('/health/live');
    expect(await calls(caller)).toBe(0);
    expect(await countRows()).toBe(before);
  });

  it('counts a request in its month', async () => {
    const own = await startForTest();
    await own.call('listUrls');
    own.clock.advance(31 * 24 * 60 * 60 * 1000);
    const later = await own.signIn(own.credentials);
    await later.call('listUrls');
    await later.call('listUrls');
    const used = async (period: string) =>
      (await later.call('getUsage', { query: { period } })).data.meters.api_call.used;
    await expect.poll(() => used('2030-02')).toBeGreaterThanOrEqual(2);
    expect(await used(january)).toBe(1);
  });
});

describe('a plan that changes', () => {
  const day = 24 * 60 * 60 * 1000;

  it('charges each month by the plan at its end', async () => {
    const own = await startForTest();
    const credentials = await own.createOrganization('free');
    const { organizationId } = await own.signIn(credentials);
    const organizations = createOrganizationRepository(own.server.database);
    const change = (plan: PlanName) =>
      organizations.update(organizationId, { plan }, own.clock(), undefined);
    await change('developer');
    own.clock.advance(31 * day);
    await change('scale');
    await change('enterprise');
    own.clock.advance(28 * day);
    const caller = await own.signIn(credentials);
    const planOf = async (period: string) =>
      (await caller.call('getUsage', { query: { period } })).data.plan;
    expect([await planOf(january), await planOf('2030-02'), await planOf('2030-03')]).toEqual([
      'developer',
      'enterprise',
      'enterprise',
    ]);
    await change('free');
    expect([await planOf('2030-02'), await planOf('2030-03')]).toEqual(['enterprise', 'free']);
  });
});
