import { expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const api = await startForFile();

const targetUrl = 'https://example.com/';
const check = async (slug: string, domainId?: string) => {
  const response = await api.call('checkSlug', { query: { slug, ...(domainId && { domainId }) } });
  if (response.status !== 200) return response.outcome;
  const { isAvailable, reason } = response.data;
  expect(isAvailable).toBe(reason === null);
  return reason;
};

it('says whether a slug may be taken on a domain, and why not', async () => {
  const data = await api.createLink({ customSlug: 'sale' });
  expect(await check('sale')).toBe('TAKEN');
  expect(await check(data.shortCode)).toBe('TAKEN');
  const again = { targetUrl, customSlug: data.shortCode };
  expect((await api.call('createUrl', { body: again })).outcome).toBe('409 SLUG_CONFLICT');
  expect(await check('Sale')).toBeNull();
  expect(await check('a')).toBe('INVALID');
  expect(await check('-sale')).toBe('INVALID');
  expect(await check('Login')).toBe('RESERVED');
  await api.call('deleteUrl', { params: { id: data.id }, query: { erase: true } });
  expect(await check('sale')).toBe('TAKEN');

  const { data: domain } = await api.call('createDomain', { body: { hostname: 'slug.example' } });
  expect(await check('sale', domain.id)).toBe('400 DOMAIN_INVALID');
  api.zone.set(domain.txtRecord.name, [domain.txtRecord.value]);
  const params = { id: domain.id };
  await api.call('verifyDomain', { params });
  expect(await check('sale', domain.id)).toBeNull();
  await api.call('updateDomain', { params, body: { ignoreCase: true } });
  const body = { targetUrl, customSlug: 'Shop', domainId: domain.id };
  expect((await api.call('createUrl', { body })).status).toBe(201);
  expect(await check('shop', domain.id)).toBe('TAKEN');
});
