import { describe, expect, it } from 'vitest';
import { type Caller, startForFile } from './start-server.js';

const api = await startForFile();

const create = (caller: Caller, body: object) => caller.createLink(body);
const lookUp = (caller: Caller, shortUrl: string) =>
  caller.call('lookupUrl', { query: { shortUrl } });

describe('GET /api/v1/urls/lookup', () => {
  it('finds a link by its short URL in each form, by slug and by code', async () => {
    const { id, shortCode, shortUrl } = await create(api, { customSlug: 'look-me-up' });
    const { host } = new URL(shortUrl);
    const record = await api.getLink(id);
    for (const text of [
      shortUrl,
      `${shortUrl}/`,
      `${shortUrl}?utm_source=mail#top`,
      shortUrl.replace('http://', ''),
      `HTTPS://${host.toUpperCase()}/look-me-up`,
      `${host}/${shortCode}`,
      'look-me-up',
      shortCode,
    ]) {
      const response = await lookUp(api, text);
      expect({ text, data: response.data }).toEqual({ text, data: record });
    }
  });

  it('finds a paused link', async () => {
    const { id } = await create(api, { customSlug: 'look-paused', isActive: false });
    expect((await lookUp(api, 'look-paused')).data).toMatchObject({ id, isActive: false });
  });

  it('finds a link on a custom domain, also after it has moved', async () => {
    const { id: domainId } = await api.addDomain('go.lookup.example');
    const { id } = await create(api, { customSlug: 'on-domain', domainId });
    for (const text of [
      'https://go.lookup.example/on-domain',
      'GO.lookup.example/on-domain',
      'on-domain',
    ]) {
      expect((await lookUp(api, text)).data).toMatchObject({ id });
    }
    expect((await lookUp(api, `${api.server.url}/on-domain`)).outcome).toBe('404 NOT_FOUND');
    await api.call('updateUrl', { params: { id }, body: { domainId: null } });
    for (const text of [
      'go.lookup.example/on-domain',
      `${api.server.url}/on-domain`,
      'on-domain',
    ]) {
      expect((await lookUp(api, text)).data).toMatchObject({ id, domainId: null });
    }
  });

  it('names the short URLs of a slug that several domains have', async () => {
    const { id: domainId } = await api.addDomain('two.lookup.example');
    const ids = [
      (await create(api, { customSlug: 'on-both' })).id,
      (await create(api, { customSlug: 'on-both', domainId })).id,
    ];
    const response = await lookUp(api, 'on-both');
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['shortUrl']);
    const shortUrls = [`${api.server.url}/on-both`, 'http://two.lookup.example/on-both'];
    for (const [at, shortUrl] of shortUrls.entries()) {
      expect(response.error.message).toContain(shortUrl);
      expect((await lookUp(api, shortUrl)).data).toMatchObject({ id: ids[at] });
    }
  });

  it('does not find links of other organizations, and links that do not exist', async () => {
    const other = await api.newcomer('enterprise');
    const { id: domainId } = await api.addDomain('other.lookup.example', other);
    const { shortCode } = await create(other, { customSlug: 'not-yours' });
    await create(other, { customSlug: 'neither', domainId });
    for (const text of [
      'not-yours',
      shortCode,
      `${api.server.url}/not-yours`,
      'neither',
      'other.lookup.example/neither',
      'no-such-slug',
      'ab',
      'sho.example/a/b',
      'https://unknown.example/look-me-up',
    ]) {
      expect({ text, outcome: (await lookUp(api, text)).outcome }).toEqual({
        text,
        outcome: '404 NOT_FOUND',
      });
    }
  });

  it.each(['a b', 'ftp://sho.example/sale', 'https://sho.example/', '%', 'https://'])(
    'refuses %j',
    async (text) => {
      const response = await lookUp(api, text);
      expect(response.outcome).toBe('400 VALIDATION_FAILED');
      expect(response.invalidFields).toEqual(['shortUrl']);
    },
  );
});

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
