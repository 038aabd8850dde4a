import { request } from 'node:http';
import { v7 as newUuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, startServer, type TestServer } from './start-server.js';

const targetUrl = 'https://example.com/';

let api: TestServer;
beforeAll(async () => {
  api = await startServer();
});
afterAll(() => api.stop());

let count = 0;
async function addDomain(caller: Caller = api, isActive = true) {
  count += 1;
  const hostname = `go${count}.example`;
  const { data } = await caller.call('createDomain', { body: { hostname } });
  if (isActive) {
    api.zone.set(data.txtRecord.name, [data.txtRecord.value]);
    const verified = await caller.call('verifyDomain', { params: { id: data.id } });
    expect(verified.status).toBe(200);
  }
  return { id: data.id, hostname };
}
const create = (body: object) => api.call('createUrl', { body: { targetUrl, ...body } });

/** Returns the Location of a visit, or its status. fetch cannot send another Host header. */
function follow(host: string, key: string): Promise<string | number> {
  return new Promise((resolve, reject) => {
    const call = request(`${api.server.url}/${key}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.headers.location ?? response.statusCode ?? 0);
    });
    call.on('error', reject);
    call.end();
  });
}

describe('domainId routes the link through a custom domain', () => {
  it('shortUrl is on the domain, for slugs and codes', async () => {
    const { id, hostname } = await addDomain();
    const withSlug = (await create({ domainId: id, customSlug: 'sale' })).data;
    expect(withSlug.shortUrl).toBe(`http://${hostname}/sale`);
    const plain = (await create({ domainId: id.toUpperCase() })).data;
    expect(plain.shortUrl).toBe(`http://${hostname}/${plain.shortCode}`);
    const record = (await api.call('getUrl', { params: { id: plain.id } })).data;
    expect(record).toMatchObject({ domainId: id, shortUrl: plain.shortUrl });
  });

  it.each([
    ['unknown', async () => newUuid()],
    ['not active', async () => (await addDomain(api, false)).id],
    [
      "another organization's",
      async () => {
        const other = await api.signIn(await api.createOrganization('free'));
        return (await addDomain(other)).id;
      },
    ],
  ])('is refused when the domain is %s', async (_, domain) => {
    const domainId = await domain();
    expect((await create({ domainId })).outcome).toBe('400 DOMAIN_INVALID');
    const bulk = await api.call('bulkCreateUrls', { body: { urls: [{ targetUrl, domainId }] } });
    expect(bulk.data.errors).toMatchObject([{ index: 0, code: 'DOMAIN_INVALID' }]);
    const { id } = (await create({})).data;
    const moved = await api.call('updateUrl', { params: { id }, body: { domainId } });
    expect(moved.outcome).toBe('400 DOMAIN_INVALID');
  });

  it('2. the same slug may exist on two domains, once on each', async () => {
    const [one, two] = [await addDomain(), await addDomain()];
    const customSlug = 'everywhere';
    const make = (domainId: string | null, path: string) =>
      create({ domainId, customSlug, targetUrl: `https://example.com/${path}` });
    expect((await make(null, 'platform')).status).toBe(201);
    expect((await make(one.id, 'one')).status).toBe(201);
    expect((await make(two.id, 'two')).status).toBe(201);
    expect((await make(one.id, 'again')).outcome).toBe('409 SLUG_CONFLICT');
    const { host } = new URL(api.server.url);
    expect(await follow(host, customSlug)).toBe('https://example.com/platform');
    expect(await follow(one.hostname, customSlug)).toBe('https://example.com/one');
    expect(await follow(two.hostname, customSlug)).toBe('https://example.com/two');
  });

  it('a domain serves its own links only, and no other host serves them', async () => {
    const { id, hostname } = await addDomain();
    const ours = (await create({ customSlug: 'platform-only' })).data;
    const theirs = (await create({ domainId: id, customSlug: 'domain-only' })).data;
    expect(await follow(hostname, 'platform-only')).toBe(404);
    expect(await follow(hostname, ours.shortCode)).toBe(404);
    expect(await follow('localhost', 'domain-only')).toBe(404);
    expect(await follow('localhost', theirs.shortCode)).toBe(404);
    expect(await follow(hostname, theirs.shortCode)).toBe(targetUrl);
  });

  it('the Host header is matched in any case, with any port, with a final dot', async () => {
    const { id, hostname } = await addDomain();
    await create({ domainId: id, customSlug: 'any-case' });
    for (const host of [hostname.toUpperCase(), `${hostname}:8080`, `${hostname}.`]) {
      expect(await follow(host, 'any-case'), host).toBe(targetUrl);
    }
  });

  it('every other host serves the links of the platform', async () => {
    await create({ customSlug: 'any-host' });
    for (const host of ['127.0.0.1', '[::1]:80', 'unknown.example', "'", 'x'.repeat(300)]) {
      expect(await follow(host, 'any-host'), host).toBe(targetUrl);
    }
  });

  it('a domain serves its links as soon as it is verified', async () => {
    const { id, hostname } = await addDomain(api, false);
    await create({ customSlug: 'soon-there' });
    expect(await follow(hostname, 'soon-there')).toBe(targetUrl);
    const { txtRecord } = (await api.call('getDomain', { params: { id } })).data;
    api.zone.set(txtRecord.name, [txtRecord.value]);
    await api.call('verifyDomain', { params: { id } });
    expect(await follow(hostname, 'soon-there')).toBe(404);
  });
});

describe('a deleted domain', () => {
  it('responds with 410 for its own links and with 404 for all others', async () => {
    const { id, hostname } = await addDomain();
    await create({ customSlug: 'in-both', targetUrl: 'https://example.com/platform' });
    await create({ customSlug: 'platform-alone' });
    const { data: link } = await create({ domainId: id, customSlug: 'in-both' });
    expect(await follow(hostname, 'in-both')).toBe(targetUrl);
    await api.call('deleteUrl', { params: { id: link.id } });
    expect((await api.call('deleteDomain', { params: { id } })).status).toBe(200);
    expect(await follow(hostname, 'in-both')).toBe(410);
    expect(await follow(hostname, 'platform-alone')).toBe(404);
  });

  it('serves the links of another organization as soon as that one has verified it', async () => {
    const { id, hostname } = await addDomain();
    const { data: link } = await create({ domainId: id, customSlug: 'handed-over' });
    await api.call('deleteUrl', { params: { id: link.id } });
    await api.call('deleteDomain', { params: { id } });
    expect(await follow(hostname, 'handed-over')).toBe(410);

    const next = await api.signIn(await api.createOrganization('free'));
    const { data } = await next.call('createDomain', { body: { hostname } });
    expect(await follow(hostname, 'handed-over')).toBe(410);
    api.zone.set(data.txtRecord.name, [data.txtRecord.value]);
    await next.call('verifyDomain', { params: { id: data.id } });
    expect(await follow(hostname, 'handed-over')).toBe(404);
    const body = { targetUrl: 'https://example.com/next', customSlug: 'handed-over' };
    await next.call('createUrl', { body: { ...body, domainId: data.id } });
    expect(await follow(hostname, 'handed-over')).toBe(body.targetUrl);
  });
});

describe('other routes with a custom domain', () => {
  it('does not serve /internal/tls-allowed', async () => {
    const { hostname } = await addDomain();
    const path = `internal/tls-allowed?domain=${hostname}`;
    expect(await follow(hostname, path)).toBe(404);
    expect(await follow('localhost', path)).toBe(200);
  });

  it('links are listed by domainId, and their QR codes have the hostname', async () => {
    const { id: domainId, hostname } = await addDomain();
    const { data: link } = await create({ domainId, customSlug: 'with-code' });
    const { data } = await api.call('listUrls', { query: { domainId } });
    expect(data.items.map(({ shortUrl }) => shortUrl)).toEqual([`http://${hostname}/with-code`]);
    const { data: code } = await api.call('createQr', { body: { urlId: link.id } });
    expect(code.qrData).toBe(`http://${hostname}/${link.shortCode}`);
    expect(await follow(hostname, link.shortCode)).toBe(targetUrl);
  });
});

describe('PATCH of domainId', () => {
  it('moves the link, and its old addresses still redirect', async () => {
    const { id: domainId, hostname } = await addDomain();
    const { id, shortCode } = (await create({ customSlug: 'in-print' })).data;
    const moved = await api.call('updateUrl', { params: { id }, body: { domainId } });
    expect(moved.data).toMatchObject({ domainId, shortUrl: `http://${hostname}/in-print` });
    for (const key of ['in-print', shortCode]) {
      expect(await follow(hostname, key)).toBe(targetUrl);
      expect(await follow('localhost', key)).toBe(targetUrl);
    }
    await api.call('deleteUrl', { params: { id } });
    for (const host of [hostname, 'localhost']) expect(await follow(host, 'in-print')).toBe(410);
    expect((await create({ customSlug: 'in-print' })).outcome).toBe('409 SLUG_CONFLICT');
  });

  it('is refused when the slug is taken on the new domain, and changes nothing', async () => {
    const { id: domainId } = await addDomain();
    await create({ domainId, customSlug: 'wanted' });
    const { id } = (await create({ customSlug: 'wanted' })).data;
    const before = (await api.call('getUrl', { params: { id } })).data;
    const moved = await api.call('updateUrl', {
      params: { id },
      body: { domainId, title: 'Moved', isActive: false },
    });
    expect(moved.outcome).toBe('409 SLUG_CONFLICT');
    expect((await api.call('getUrl', { params: { id } })).data).toEqual(before);
  });

  it('moves back to the platform with null', async () => {
    const { id: domainId } = await addDomain();
    const { id, shortCode } = (await create({ domainId })).data;
    const { data } = await api.call('updateUrl', { params: { id }, body: { domainId: null } });
    expect(data).toMatchObject({ domainId: null, shortUrl: `${api.server.url}/${shortCode}` });
    expect(await follow('localhost', shortCode)).toBe(targetUrl);
  });
});

describe('SHORTY_SHORT_DOMAIN and SHORTY_BASE_URL', () => {
  it('determine the address of short links', async () => {
    const other = await startServer({
      baseUrl: undefined,
      shortDomain: 'sho.example',
    });
    try {
      const { data } = await other.call('createUrl', { body: { targetUrl, customSlug: 'abc' } });
      expect(data.shortUrl).toBe('http://sho.example/abc');
    } finally {
      await other.stop();
    }
  });
});
