import { v7 as newUuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import { type Caller, startForFile } from './start-server.js';
import { followHost, type HostVisitOptions, visitHost } from './visit-host.js';

const targetUrl = 'https://example.com/';

const api = await startForFile({ corsOrigins: '*' });

let count = 0;
async function addDomain(caller: Caller = api, isActive = true) {
  count += 1;
  const hostname = `go${count}.example`;
  const { id } = isActive
    ? await api.addDomain(hostname, caller)
    : (await caller.call('createDomain', { body: { hostname } })).data;
  return { id, hostname };
}
const create = (body: object) => api.call('createUrl', { body: { targetUrl, ...body } });

const visit = (host: string, path: string, options?: HostVisitOptions) =>
  visitHost(api.server.url, host, path, options);

const follow = (host: string, key: string) => followHost(api.server.url, host, `/${key}`);

describe('domainId routes the link through a custom domain', () => {
  it('shortUrl is on the domain, for slugs and codes', async () => {
    const { id, hostname } = await addDomain();
    const withSlug = (await create({ domainId: id, customSlug: 'sale' })).data;
    expect(withSlug.shortUrl).toBe(`http://${hostname}/sale`);
    const reserved = await create({ domainId: id, customSlug: 'api' });
    expect(reserved.outcome).toBe('400 SLUG_RESERVED');
    const plain = (await create({ domainId: id.toUpperCase() })).data;
    expect(plain.shortUrl).toBe(`http://${hostname}/${plain.shortCode}`);
    const record = await api.getLink(plain.id);
    expect(record).toMatchObject({ domainId: id, shortUrl: plain.shortUrl });
  });

  it.each([
    ['unknown', async () => newUuid()],
    ['not active', async () => (await addDomain(api, false)).id],
    [
      "another organization's",
      async () => {
        const other = await api.newcomer('free');
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

it('a deleted domain responds with 410 for its own links and with 404 for all others', async () => {
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

describe('other routes with a custom domain', () => {
  const routes = (table as readonly Route[]).filter(({ isForVisitors }) => !isForVisitors);
  const paths = new Set(routes.map(({ path }) => path.replace(/\{\w+\}/g, '7')));
  const others = [
    '/docs/swagger-ui.css',
    '/api',
    '/api/v2/urls',
    '/oauth/token',
    '/sitemap.xml',
    '/.well-known/security.txt',
  ];

  it.each([
    ['a page', 'text/html,*/*;q=0.8'],
    ['JSON', 'application/json'],
  ])('no path of the API differs from an unknown link, with %s', async (_, accept) => {
    const { hostname } = await addDomain();
    const authorization = `Bearer ${api.token}`;
    const headers = { accept, authorization, 'x-request-id': 'same-for-all' };
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const init = { method, headers: { ...headers, ...(method === 'OPTIONS' && preflight) } };
      const unknown = await visit(hostname, '/unknown-link', init);
      expect(unknown.status).toBe(404);
      for (const path of [...paths, ...others, `/internal/tls-allowed?domain=${hostname}`]) {
        for (const host of [hostname, `${hostname.toUpperCase()}.:443`]) {
          const place = `${method} ${host}${path}`;
          expect([place, await visit(host, path, init)]).toEqual([place, unknown]);
        }
      }
    }
  });

  it('every other host has the API', async () => {
    await addDomain(api, false);
    const pending = `go${count}.example`;
    const { host } = new URL(api.server.url);
    for (const name of [host, 'localhost', '127.0.0.1', '[::1]:80', '10.0.0.8', 'x.lan', pending]) {
      for (const path of ['/health/live', '/metrics', '/docs', '/openapi.yaml', '/']) {
        expect([name, path, (await visit(name, path)).status]).toEqual([name, path, 200]);
      }
      expect((await visit(name, '/api/v1/me')).status).toBe(401);
    }
  });

  it('serves the QR codes of its organization, and no others', async () => {
    const { hostname } = await addDomain();
    const other = await api.newcomer('free');
    const { hostname: otherHost } = await addDomain(other);
    const { data: code } = await api.call('createQr', { body: { data: 'a text' } });
    const unknownId = newUuid();
    const statuses = (host: string) =>
      Promise.all([code.downloadUrl, code.previewUrl].map((path) => visit(host, path))).then(
        (visits) => visits.map(({ status }) => status),
      );
    const expectHidden = async (host: string) => {
      for (const path of [code.downloadUrl, code.previewUrl]) {
        const headers = { 'x-request-id': 'same-for-all' };
        const unknown = await visit(host, path.replace(code.id, unknownId), { headers });
        expect(unknown.status).toBe(404);
        expect(await visit(host, path, { headers })).toEqual(unknown);
      }
    };
    expect(await statuses(hostname)).toEqual([200, 200]);
    expect(await statuses('localhost')).toEqual([200, 200]);
    await expectHidden(otherHost);
    await api.call('deleteQr', { params: { id: code.id } });
    expect(await statuses(hostname)).toEqual([410, 410]);
    await expectHidden(otherHost);
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
    const before = await api.getLink(id);
    const moved = await api.call('updateUrl', {
      params: { id },
      body: { domainId, title: 'Moved', isActive: false },
    });
    expect(moved.outcome).toBe('409 SLUG_CONFLICT');
    expect(await api.getLink(id)).toEqual(before);
  });
});
