import { afterAll, describe, expect, it } from 'vitest';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import { now, openRepository } from './temporary-database.js';

const stored = await openRepository();
afterAll(() => stored.close());

interface Recorded {
  type: string;
  webhook_id: string;
  data: { id: string; isActive: boolean };
}

async function recorded(organizationId: string): Promise<Recorded[]> {
  const rows = await stored.database.read
    .selectFrom('events')
    .innerJoin('deliveries', 'deliveries.event_id', 'events.id')
    .select(['type', 'body', 'webhook_id', 'status', 'attempts'])
    .where('organization_id', '=', organizationId)
    .orderBy('sequence')
    .execute();
  for (const { status, attempts } of rows) expect([status, attempts]).toEqual(['pending', 0]);
  return rows.map(({ type, body, webhook_id }) => ({
    type,
    webhook_id,
    data: JSON.parse(body).data,
  }));
}

async function makeOne(organizationId: string, draft = {}): Promise<number> {
  const [created] = await stored.create(organizationId, [draft]);
  return created?.id as number;
}

const everything = ['url.created', 'url.updated', 'url.expired'];

describe('the transaction of a change', () => {
  it('writes url.deleted for a delete and url.restored for its end, each with url.updated', async () => {
    const organizationId = await stored.addOrganization('scale');
    await stored.subscribe(organizationId, ['url.deleted', 'url.restored', 'url.updated']);
    const id = await makeOne(organizationId);
    const update = (change: object) =>
      stored.changeLinks(organizationId, [id], now, (url) => ({ ...url, ...change }));
    await stored.deleteLinks(organizationId, [id], now);
    await stored.deleteLinks(organizationId, [id], now);
    await update({ isActive: true, deletedAt: null });
    await update({ isActive: true, title: 'New' });
    await update({ isActive: false });
    for (let time = 0; time < 2; time += 1) await update({ isActive: true });
    const events = await recorded(organizationId);
    expect(events.map(({ type, data }) => `${type} ${data.isActive}`)).toEqual([
      'url.updated false',
      'url.deleted false',
      'url.updated true',
      'url.restored true',
      'url.updated true',
      'url.updated false',
      'url.updated true',
    ]);
  });

  it('writes url.expired also when a PATCH or a DELETE comes before the sweep', async () => {
    const organizationId = await stored.addOrganization('scale');
    await stored.subscribe(organizationId, everything.slice(1));
    const patched = await makeOne(organizationId, { expiresAt: now + 1000 });
    const deleted = await makeOne(organizationId, { expiresAt: now + 1000 });
    await stored.changeLinks(organizationId, [patched], now + 1000, (url) => ({
      ...url,
      title: 'New',
    }));
    await stored.deleteLinks(organizationId, [deleted], now + 1000);
    const events = await recorded(organizationId);
    expect(events.filter(({ type }) => type === 'url.expired').map(({ data }) => data.id)).toEqual(
      expect.arrayContaining([patched, deleted].map(String)),
    );
    // Each of the two changes.
    expect(events.filter(({ type }) => type === 'url.updated')).toHaveLength(2);
  });

  it('writes no event while the plan has no webhooks, and events again after an upgrade', async () => {
    const organizationId = await stored.addOrganization('developer');
    await stored.subscribe(organizationId, everything);
    const organizations = createOrganizationRepository(stored.database);
    await organizations.update(organizationId, { plan: 'free' }, now, undefined);
    await makeOne(organizationId);
    expect(await recorded(organizationId)).toEqual([]);
    await organizations.update(organizationId, { plan: 'scale' }, now, undefined);
    const id = await makeOne(organizationId);
    expect(await recorded(organizationId)).toMatchObject([{ data: { id: String(id) } }]);
  });
});
