import { describe, expect, it } from 'vitest';
import { maxDomains } from '../../src/domains/domain-contract.js';
import { bulkInsert } from '../../src/storage/statements.js';
import { type Caller, startForFile } from './start-server.js';

const api = await startForFile({
  shortDomain: 'sho.example:8080',
  publicHost: 'https://qr.example/x',
});
const other = await api.newcomer('scale');

let count = 0;
const newName = () => {
  count += 1;
  return `go${count}.example.com`;
};
const add = (hostname: string, caller: Caller = api) =>
  caller.call('createDomain', { body: { hostname } });
const verify = (id: string, caller: Caller = api, headers = {}) =>
  caller.call('verifyDomain', { params: { id }, headers });
const get = async (id: string) => (await api.call('getDomain', { params: { id } })).data;
const remove = (id: string) => api.call('deleteDomain', { params: { id } });

async function addVerified(hostname = newName(), caller: Caller = api) {
  return { ...(await api.addDomain(hostname, caller)), hostname };
}

describe('POST /domains', () => {
  it('returns the record and the DNS TXT record to set', async () => {
    const response = await add('Go.Example.com.');
    expect(response.status).toBe(201);
    expect(response.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      hostname: 'go.example.com',
      organizationId: api.organizationId,
      isActive: false,
      txtRecord: {
        name: '_shorty-challenge.go.example.com',
        type: 'TXT',
        value: expect.stringMatching(/^shorty-verification=[\w-]{32}$/),
      },
      rootUrl: null,
      notFoundUrl: null,
      expiredUrl: null,
      ignoreCase: false,
      forwardQuery: false,
      forwardPath: false,
      appleAppSiteAssociation: null,
      assetLinks: null,
      createdAt: '2030-01-01T00:00:00.000Z',
      updatedAt: '2030-01-01T00:00:00.000Z',
      verifiedAt: null,
      lastCheckedAt: null,
      lastError: null,
    });
    expect(await get(response.data.id)).toEqual(response.data);
  });

  it.each(['sho.example', 'SHO.example.', 'qr.example'])(
    "refuses %s, which is this server's own",
    async (hostname) => {
      const response = await add(hostname);
      expect(response.outcome).toBe('400 DOMAIN_INVALID');
      expect(response.invalidFields).toEqual(['hostname']);
    },
  );

  it('refuses a hostname that the organization already has, and names the id of its domain', async () => {
    const hostname = newName();
    const { id } = (await add(hostname)).data;
    const again = await add(hostname.toUpperCase());
    expect(again.outcome).toBe('409 DOMAIN_CONFLICT');
    expect(again.error.message).toContain(id);
  });

  it('refuses more domains than the limit; deleted ones do not count', async () => {
    const many = await api.newcomer('scale');
    const { database } = api.server;
    await database.writeDirectly(async (transaction) => {
      await bulkInsert(
        transaction,
        'domains',
        Array.from({ length: maxDomains }, (_, at) => ({
          id: `many-${at}`,
          organization_id: many.organizationId,
          hostname: `many${at}.example.com`,
          challenge: 'x',
          is_active: 0,
          created_at: at,
          verified_at: null,
          last_checked_at: null,
          last_error: null,
          deleted_at: at === 0 ? 1 : null,
        })),
      );
    });
    expect((await add(newName(), many)).status).toBe(201);
    expect((await add(newName(), many)).outcome).toBe('402 QUOTA_EXCEEDED');
  });
});

it('GET /domains pages, newest first, and filters', async () => {
  const caller = await api.newcomer('free');
  const active = await addVerified(newName(), caller);
  const pending: string[] = [];
  for (let at = 0; at < 3; at += 1) pending.unshift((await add(newName(), caller)).data.id);
  const list = async (query: Record<string, string | number | boolean>) => {
    const { data } = await caller.call('listDomains', { query });
    return { ...data, items: data.items.map(({ id }) => id) };
  };
  expect(await list({})).toEqual({
    total: 4,
    limit: 25,
    offset: 0,
    items: [...pending, active.id],
    nextAfter: null,
  });
  expect(await list({ limit: 1, offset: 1 })).toMatchObject({ total: 4, items: [pending[1]] });
  expect(await list({ isActive: true })).toMatchObject({ total: 1, items: [active.id] });
  expect(await list({ isActive: false })).toMatchObject({ total: 3, items: pending });
  const hostname = `${active.hostname.toUpperCase()}.`;
  expect(await list({ hostname })).toMatchObject({ total: 1, items: [active.id] });
  expect(await list({ hostname, isActive: false })).toMatchObject({ total: 0 });
});

describe('POST /domains/{id}/verify', () => {
  it('finds the TXT record among others and activates the domain', async () => {
    const { id, txtRecord } = (await add(newName())).data;
    api.zone.set(txtRecord.name, ['v=spf1 -all', ` "${txtRecord.value}" `]);
    api.clock.advance(5000);
    const { status, data } = await verify(id);
    expect(status).toBe(200);
    const now = new Date(api.clock()).toISOString();
    expect(data).toMatchObject({ isActive: true, verifiedAt: now, lastCheckedAt: now });
    expect(data.lastError).toBeNull();
    expect(await get(id)).toEqual(data);
  });

  it.each([
    ['ENOTFOUND', 'There is no TXT record'],
    ['ENODATA', 'There is no TXT record'],
    ['ETIMEOUT', 'did not answer'],
  ] as const)('says clearly what is wrong: %s', async (fault, words) => {
    const { id, txtRecord } = (await add(newName())).data;
    api.zone.set(txtRecord.name, fault);
    const response = await verify(id);
    expect(response.outcome).toBe('400 DOMAIN_INVALID');
    expect(response.error.message).toContain(words);
    const { isActive, lastError, lastCheckedAt } = await get(id);
    expect({ isActive, lastError }).toEqual({ isActive: false, lastError: response.error.message });
    expect(lastCheckedAt).toBe(new Date(api.clock()).toISOString());
  });

  it('reports the wrong TXT records, truncated', async () => {
    const { id, txtRecord } = (await add(newName())).data;
    const { name, value } = txtRecord;
    api.zone.set(name, [value.toUpperCase(), 'b', 'c\u001b[2J', 'd', 'e'.repeat(10_000)]);
    const { outcome, error } = await verify(id);
    expect(outcome).toBe('400 DOMAIN_INVALID');
    expect(error.message).toBe(
      `The TXT record at ${name} is ${JSON.stringify(value.toUpperCase())}, "b", "c\\u001b[2J" and 2 more; it must be ${JSON.stringify(value)}`,
    );
    api.zone.set(name, ['e'.repeat(10_000)]);
    expect((await verify(id)).error.message.length).toBeLessThan(400);
    api.zone.set(name, []);
    expect((await verify(id)).error.message).toContain('There is no TXT record');
  });

  it("does not accept another organization's challenge", async () => {
    const hostname = newName();
    const theirs = (await add(hostname, other)).data;
    const ours = (await add(hostname)).data;
    api.zone.set(theirs.txtRecord.name, [theirs.txtRecord.value]);
    expect((await verify(ours.id)).outcome).toBe('400 DOMAIN_INVALID');
    expect((await verify(theirs.id, other)).status).toBe(200);
  });

  it('activates a hostname in one of two concurrent organizations and refuses it in the other', async () => {
    const hostname = newName();
    const ours = (await add(hostname)).data;
    const theirs = (await add(hostname, other)).data;
    api.zone.set(ours.txtRecord.name, [ours.txtRecord.value, theirs.txtRecord.value]);
    const responses = await Promise.all([verify(ours.id), verify(theirs.id, other)]);
    const outcomes = responses.map((each) => (each.status === 200 ? 'active' : each.outcome));
    expect(outcomes.sort()).toEqual(['409 DOMAIN_CONFLICT', 'active']);
    const loser = responses.find(({ status }) => status !== 200);
    expect(loser?.error.message).toContain(`${hostname} is active in another organization`);
  });

  it('activates a hostname once the other organization has deleted it', async () => {
    const { id, hostname, txtRecord } = await addVerified();
    const theirs = (await add(hostname, other)).data;
    api.zone.set(txtRecord.name, [txtRecord.value, theirs.txtRecord.value]);
    expect((await verify(theirs.id, other)).outcome).toBe('409 DOMAIN_CONFLICT');
    const pending = await other.call('getDomain', { params: { id: theirs.id } });
    expect(pending.data.lastError).toContain('active in another organization');
    expect((await remove(id)).status).toBe(200);
    expect((await verify(theirs.id, other)).data).toMatchObject({
      isActive: true,
      lastError: null,
    });
  });
});

it('domain.verified is written once, at the first verification, with the record', async () => {
  const caller = await api.newcomer('scale');
  const webhook = await caller.call('createWebhook', {
    body: { url: 'https://receiver.example/', events: ['domain.verified'], isActive: true },
  });
  const { id, hostname, txtRecord } = await addVerified(newName(), caller);
  const record = (await caller.call('getDomain', { params: { id } })).data;
  await verify(id, caller);
  await caller.call('deleteDomain', { params: { id } });
  const back = (await add(hostname, caller)).data;
  api.zone.set(txtRecord.name, [back.txtRecord.value]);
  expect((await verify(back.id, caller)).status).toBe(200);

  const params = { id: webhook.data.id };
  const { data } = await caller.call('listDeliveries', { params });
  expect(data.items).toHaveLength(1);
  const deliveryId = data.items[0]?.id ?? '';
  const delivery = await caller.call('getDelivery', { params: { ...params, deliveryId } });
  expect(JSON.parse(delivery.data.requestBody)).toMatchObject({
    type: 'domain.verified',
    data: record,
  });
});

describe('DELETE /domains/{id}', () => {
  const create = (body: object) =>
    api.call('createUrl', { body: { targetUrl: 'https://example.com/', ...body } });

  it('returns the deleted domain, which later requests do not find', async () => {
    const { id } = await addVerified();
    const before = await get(id);
    expect((await remove(id)).data).toEqual(before);
    const gone = [
      await api.call('getDomain', { params: { id } }),
      await remove(id),
      await verify(id),
      await create({ domainId: id }),
    ];
    expect(gone.map(({ outcome }) => outcome)).toEqual([
      '404 NOT_FOUND',
      '404 NOT_FOUND',
      '404 NOT_FOUND',
      '400 DOMAIN_INVALID',
    ]);
  });

  it('is refused while the domain has active links', async () => {
    const { id, hostname } = await addVerified();
    const one = (await create({ domainId: id })).data;
    const two = (await create({ domainId: id })).data;
    const refused = await remove(id);
    expect(refused.outcome).toBe('409 DOMAIN_CONFLICT');
    expect(refused.error.message).toContain(`${hostname} has active links: pause`);
    expect((await get(id)).isActive).toBe(true);
    await api.call('deleteUrl', { params: { id: one.id } });
    expect((await remove(id)).outcome).toBe('409 DOMAIN_CONFLICT');
    await api.call('updateUrl', { params: { id: two.id }, body: { domainId: null } });
    expect((await remove(id)).status).toBe(200);
  });

  it('does not delete inactive links, which cannot be activated without the domain', async () => {
    const { id, hostname, txtRecord } = await addVerified();
    const { data: link } = await create({ domainId: id, customSlug: 'autumn' });
    await api.call('deleteUrl', { params: { id: link.id } });
    await remove(id);
    const params = { id: link.id };
    const record = (await api.call('getUrl', { params })).data;
    expect(record).toMatchObject({ domainId: id, shortUrl: `http://${hostname}/autumn` });
    const activate = () => api.call('updateUrl', { params, body: { isActive: true } });
    expect((await activate()).outcome).toBe('400 DOMAIN_INVALID');

    const back = (await add(hostname)).data;
    expect(back).toMatchObject({ id, isActive: false });
    expect(back.txtRecord.value).not.toBe(txtRecord.value);
    expect((await verify(id)).outcome).toBe('400 DOMAIN_INVALID');
    expect((await activate()).outcome).toBe('400 DOMAIN_INVALID');
    api.zone.set(back.txtRecord.name, [back.txtRecord.value]);
    expect((await verify(id)).status).toBe(200);
    expect((await activate()).data).toMatchObject({ isActive: true, shortUrl: record.shortUrl });
    expect((await create({ domainId: id, customSlug: 'autumn' })).outcome).toBe(
      '409 SLUG_CONFLICT',
    );
  });
});

describe('GET /internal/tls-allowed', () => {
  const ask = (domain: string, headers: Record<string, string> = {}) =>
    api.visit(`/internal/tls-allowed?domain=${encodeURIComponent(domain)}`, { headers });

  it('responds with 200 for active hostnames and own hosts, and with 404 for all others', async () => {
    const active = await addVerified();
    const { hostname: pending } = (await add(newName())).data;
    const deleted = await addVerified();
    await remove(deleted.id);
    const asked = {
      [active.hostname]: 200,
      [active.hostname.toUpperCase()]: 200,
      'sho.example': 200,
      'qr.example': 200,
      [pending]: 404,
      [deleted.hostname]: 404,
      'unknown.example': 404,
      [`www.${active.hostname}`]: 404,
      '': 404,
      "'": 404,
      ['x'.repeat(5000)]: 404,
    };
    for (const [domain, status] of Object.entries(asked)) {
      expect([domain, (await ask(domain)).status]).toEqual([domain, status]);
    }
    expect((await ask(active.hostname)).body).toEqual({ domain: active.hostname });
  });

  it('responds with 404 to requests that a proxy has forwarded', async () => {
    const { hostname } = await addVerified();
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
    ]) {
      expect((await ask(hostname, headers)).outcome).toBe('404 NOT_FOUND');
    }
  });
});
