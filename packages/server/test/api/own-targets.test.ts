import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const api = await startForFile();
const { port } = new URL(api.server.url);

const elsewhere = 'https://example.com/';
const create = (body: object) => api.call('createUrl', { body: { targetUrl: elsewhere, ...body } });
const patch = (id: string, body: object) => api.call('updateUrl', { params: { id }, body });

describe('a target on a host of short links', () => {
  it.each<[string, () => string]>([
    ['as it is', () => `${api.server.url}/sale`],
    ['in capitals, with a final dot', () => `HTTP://LOCALHOST.:${port}/sale`],
    ['in full-width letters', () => `http://ｌｏｃａｌｈｏｓｔ:${port}/sale`],
    ['by IPv6 that maps loopback', () => `http://[::ffff:127.0.0.1]:${port}/sale`],
    ['by another address of loopback', () => `http://127.0.0.2:${port}/sale`],
    ['with the host encoded', () => `http://local%68ost:${port}/sale`],
    ['with a user name', () => `http://user@localhost:${port}/sale`],
  ])('is refused %s', async (_name, target) => {
    const targetUrl = target();
    const refused = await create({ targetUrl });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.error.message).toBe(
      `targetUrl ${targetUrl} must not lead to a host of short links on this server: use the address that visitors should see`,
    );
    const { data } = await create({});
    expect((await patch(data.id, { targetUrl })).invalidFields).toEqual(['targetUrl']);
  });

  it('is accepted on another port of this machine', async () => {
    expect((await create({ targetUrl: 'http://localhost:9/sale' })).status).toBe(201);
  });

  it('is refused in each field', async () => {
    const own = `${api.server.url}/sale`;
    const rules = [
      { when: { country: 'DE' }, targetUrl: elsewhere },
      { when: {}, variants: [{ targetUrl: own, weight: 1 }] },
    ];
    expect((await create({ expiredUrl: own })).invalidFields).toEqual(['expiredUrl']);
    expect((await create({ rules })).invalidFields).toEqual(['rules[1].variants[0].targetUrl']);
    const { data } = await create({});
    expect((await patch(data.id, { rules })).outcome).toBe('400 VALIDATION_FAILED');
  });

  it('is refused on an active custom domain, and accepted on a deleted one', async () => {
    const { data: domain } = await api.call('createDomain', { body: { hostname: 'own.example' } });
    const params = { id: domain.id };
    const targetUrl = 'https://OWN.example.:8443/sale';
    expect((await create({ targetUrl })).status).toBe(201);
    api.zone.set(domain.txtRecord.name, [domain.txtRecord.value]);
    await api.call('verifyDomain', { params });
    expect((await create({ targetUrl })).outcome).toBe('400 VALIDATION_FAILED');
    await api.call('deleteDomain', { params });
    expect((await create({ targetUrl })).status).toBe(201);
  });
});
