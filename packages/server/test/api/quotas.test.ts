import { describe, expect, it } from 'vitest';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import { type PlanName, type PlanTable, standardPlans } from '../../src/organizations/plans.js';
import { type Caller, startForFile } from './start-server.js';

const bundle = 200;
const clientCount = 16;
const plans: PlanTable = {
  ...standardPlans,
  developer: { ...standardPlans.developer, linkBundle: bundle },
};
const body = { targetUrl: 'https://example.com/' };

const api = await startForFile({ plans });

/** Returns clients of one organization with different tokens. */
async function newClients(plan: PlanName, count = clientCount): Promise<[Caller, ...Caller[]]> {
  const credentials = await api.createOrganization(plan);
  const [first, ...others] = await Promise.all(
    Array.from({ length: count }, () => api.signIn(credentials)),
  );
  return [first as Caller, ...others];
}

const activeOf = async (caller: Caller) =>
  (await caller.call('listUrls', { query: { isActive: true, limit: 1 } })).data.total;
const usedOf = async (caller: Caller) => (await caller.call('getUsage')).data.links.used;

describe('a plan with a bundle of 200 links', () => {
  it('accepts exactly 200 of the concurrent creates of 16 clients, single and bulk', async () => {
    const clients = await newClients('developer');
    let created = 0;
    const hammer = async (caller: Caller, client: number) => {
      for (let refusals = 0; refusals < 2; ) {
        if (client % 4 === 0) {
          const urls = Array.from({ length: 1 + (client % 16) }, () => body);
          const { status, data } = await caller.call('bulkCreateUrls', { body: { urls } });
          expect(status).toBe(data.createdCount > 0 ? 201 : 207);
          expect(data.createdCount + data.errors.length).toBe(urls.length);
          for (const { code } of data.errors) expect(code).toBe('QUOTA_EXCEEDED');
          created += data.createdCount;
          if (data.errors.length > 0) refusals += 1;
        } else {
          const response = await caller.call('createUrl', { body });
          if (response.status === 201) created += 1;
          else {
            expect(response.outcome).toBe('402 QUOTA_EXCEEDED');
            refusals += 1;
          }
        }
      }
    };
    await Promise.all(clients.map(hammer));
    const [caller] = clients;
    expect([created, await activeOf(caller), await usedOf(caller)]).toEqual([
      bundle,
      bundle,
      bundle,
    ]);
  }, 60_000);

  it('is never exceeded while links are paused, deleted and activated', async () => {
    const clients = await newClients('developer');
    const [caller] = clients;
    const ids: string[] = [];
    for (let made = 0; made < 4; made += 1) {
      const urls = Array.from({ length: 100 }, () => body);
      const { data } = await caller.call('bulkCreateUrls', { body: { urls } });
      ids.push(...data.created.map(({ id }) => id));
      if (made < 2) await caller.call('bulkDeleteUrls', { body: { ids: ids.slice(-100) } });
    }
    // 200 active links, and 200 inactive ones.
    expect(await usedOf(caller)).toBe(bundle);
    const [inactive, active] = [ids.slice(0, 100), ids.slice(200)];
    let freed = 0;
    let returned = 0;
    await Promise.all(
      clients.map(async (client, at) => {
        const own = (all: string[]) => all.filter((_, index) => index % clients.length === at);
        for (const id of own(active).slice(0, 3)) {
          expect((await client.call('deleteUrl', { params: { id } })).status).toBe(200);
          freed += 1;
        }
        for (const id of own(inactive)) {
          const back = { params: { id }, body: { isActive: true } };
          const response = await client.call('updateUrl', back);
          if (response.status === 200) returned += 1;
          else expect(response.outcome).toBe('402 QUOTA_EXCEEDED');
        }
      }),
    );
    const used = await usedOf(caller);
    expect(used).toBe(bundle - freed + returned);
    expect(await activeOf(caller)).toBe(used);
    expect(used).toBeLessThanOrEqual(bundle);
    expect(returned).toBeGreaterThan(0);
  }, 60_000);

  it('after a change to a smaller plan, existing links stay and new ones are refused', async () => {
    const [caller] = await newClients('developer', 1);
    const urls = Array.from({ length: 60 }, () => body);
    const { created } = (await caller.call('bulkCreateUrls', { body: { urls } })).data;
    const [one, ...others] = created.map(({ id }) => id);
    const organizations = createOrganizationRepository(api.server.database);
    await organizations.update(caller.organizationId, { plan: 'free' }, api.clock(), undefined);
    expect((await caller.call('getUsage')).data.links).toEqual({ used: 60, included: 50 });
    const refused = await caller.call('createUrl', { body });
    expect(refused.outcome).toBe('402 QUOTA_EXCEEDED');
    const use = 'The plan free includes 50 active links, and 60 are used';
    expect(refused.error).toMatchObject({
      message: `${use}. Pause or delete links, or change the plan`,
      details: [{ path: '', message: use }],
    });
    const params = { id: one ?? '' };
    expect((await caller.call('updateUrl', { params, body: { title: 'x' } })).status).toBe(200);
    expect((await api.visit(`/${created[0]?.shortCode}`)).status).toBe(307);
    await caller.call('deleteUrl', { params });
    const back = await caller.call('updateUrl', { params, body: { isActive: true } });
    expect(back.outcome).toBe('402 QUOTA_EXCEEDED');
    await caller.call('bulkDeleteUrls', { body: { ids: others.slice(0, 10) } });
    expect((await caller.call('createUrl', { body })).status).toBe(201);
    expect(await usedOf(caller)).toBe(50);
  });
});
