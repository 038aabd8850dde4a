import { networkInterfaces } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { type Caller, startForTest, startServer } from './start-server.js';
import { followHost, type HostVisitOptions, visitHost } from './visit-host.js';

const targetUrl = 'https://example.com/';

const api = await startServer();
const platform = await startServer({
  rootUrl: 'https://www.example.com/',
  notFoundUrl: 'https://www.example.com/404',
  expiredUrl: 'https://www.example.com/over',
  ignoreCase: true,
  forwardQuery: true,
  assetLinks: '[]',
});
afterAll(async () => {
  await api.stop();
  await platform.stop();
});

let count = 0;
async function addDomain(settings: object = {}, caller: Caller = api) {
  count += 1;
  const hostname = `set${count}.example`;
  const { id } = await api.addDomain(hostname, caller);
  const change = (body: object) => caller.call('updateDomain', { params: { id }, body });
  expect((await change(settings)).status).toBe(200);
  const create = (body: object) => caller.createLink({ domainId: id, ...body });
  return { id, hostname, change, create };
}

const visit = (host: string, path: string, options?: HostVisitOptions) =>
  visitHost(api.server.url, host, path, options);
const follow = (host: string, path: string, { server } = api) => followHost(server.url, host, path);

describe('PATCH /domains/{id}', () => {
  it('changes and clears settings, and reads return them', async () => {
    const { id, change } = await addDomain();
    const settings = {
      rootUrl: 'https://www.example.com/',
      notFoundUrl: 'https://www.example.com/404',
      expiredUrl: 'https://www.example.com/over',
      ignoreCase: true,
      forwardQuery: true,
      forwardPath: true,
      appleAppSiteAssociation: { applinks: { details: [] }, further: [1] },
      assetLinks: [{ include: 'https://example.com/links.json' }],
    };
    const params = { id };
    const { data: before } = await api.call('getDomain', { params });
    const { data: changed } = await change(settings);
    expect(changed).toEqual({ ...before, ...settings, updatedAt: changed.updatedAt });
    expect(changed.updatedAt > before.updatedAt).toBe(true);
    expect((await change({})).data).toEqual(changed);
    expect((await api.call('getDomain', { params })).data).toMatchObject(settings);
    const { items } = (await api.call('listDomains', {})).data;
    expect(items.find((each) => each.id === id)).toMatchObject(settings);
    const cleared = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, value === true ? false : null]),
    );
    const { data: restored } = await change(cleared);
    expect(restored).toEqual({ ...before, updatedAt: restored.updatedAt });
  });

  it.each<[object, string, string]>([
    [{ rootUrl: 'javascript:alert(1)' }, 'rootUrl', 'must start with http:// or https://'],
    [{ expiredUrl: `${api.server.url}/x` }, 'expiredUrl', 'a host of short links on this server'],
    [{ ignoreCase: null }, 'ignoreCase', ''],
    [{ assetLinks: [{ text: 'x'.repeat(16_384) }] }, 'assetLinks', 'must be at most 16384 bytes'],
  ])('refuses %j and names the field', async (body, field, message) => {
    const { change } = await addDomain();
    const response = await change(body);
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toContain(field);
    expect(response.error.message).toContain(message);
  });

  it('refuses URLs on the domain itself and on another domain of the organization', async () => {
    const other = await addDomain();
    const { hostname, change } = await addDomain();
    for (const host of [hostname, `${hostname.toUpperCase()}.:8443`, other.hostname]) {
      const response = await change({ rootUrl: `https://${host}/page` });
      expect(response.invalidFields).toEqual(['rootUrl']);
      expect(response.error.message).toContain('a host of short links on this server');
    }
  });
});

it('a server on all addresses leads to none of its own, neither by links nor by domains', async () => {
  const server = await startForTest({ host: '0.0.0.0' });
  const { port } = new URL(server.server.url);
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all);
  const { id } = await server.addDomain('go.everywhere.example');
  for (const { address, family } of addresses) {
    const targetUrl = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/missing`;
    const link = await server.call('createUrl', { body: { targetUrl } });
    expect(link.invalidFields, targetUrl).toEqual(['targetUrl']);
    const body = { notFoundUrl: targetUrl };
    const domain = await server.call('updateDomain', { params: { id }, body });
    expect(domain.invalidFields, targetUrl).toEqual(['notFoundUrl']);
  }
});

describe('/ of a domain', () => {
  it('shows a page that does not name the software, and leads to rootUrl if there is one', async () => {
    const { hostname, change } = await addDomain();
    const page = await visit(hostname, '/');
    expect(page.status).toBe(200);
    expect(page.text).toContain(`<h1>${hostname}</h1>`);
    expect(page.text).not.toMatch(/shorty|docs/i);
    await change({ rootUrl: 'https://www.example.com/ü' });
    for (const path of ['/', '/?utm_source=x']) {
      const { status, headers } = await visit(hostname, path);
      expect([status, headers.location, headers['cache-control']]).toEqual([
        302,
        'https://www.example.com/%C3%BC',
        'no-store',
      ]);
    }
    expect((await visit(hostname, '/', { method: 'HEAD' })).status).toBe(302);
    expect((await visit(hostname, '/', { method: 'POST' })).status).toBe(404);
  });

  it('does not lead to a domain that this server serves meanwhile', async () => {
    const { hostname } = await addDomain({ rootUrl: `https://set${count + 2}.example/` });
    expect(await follow(hostname, '/')).toBe(`https://set${count + 1}.example/`);
    await addDomain();
    expect(await follow(hostname, '/')).toBe(200);
  });

  it('does not lead to a blocked host, and a suspended organization leads nowhere', async () => {
    const caller = await api.newcomer('enterprise');
    const settings = {
      rootUrl: 'https://sub.blocked.example/',
      notFoundUrl: 'https://www.example.com/',
      assetLinks: [],
    };
    const { hostname } = await addDomain(settings, caller);
    expect(await follow(hostname, '/')).toBe(settings.rootUrl);
    const blocked = { host: 'blocked.example', reason: 'phishing' };
    expect((await api.operator.call('blockHost', { body: blocked })).status).toBe(201);
    expect(await follow(hostname, '/')).toBe(200);
    expect(await follow(hostname, '/unknown')).toBe(settings.notFoundUrl);
    const suspension = await api.operator.call('updateOrganization', {
      params: { id: caller.organizationId },
      body: { isSuspended: true },
    });
    expect(suspension.status).toBe(200);
    expect(await follow(hostname, '/unknown')).toBe(404);
    expect(await follow(hostname, '/.well-known/assetlinks.json')).toBe(404);
  });
});

describe('addresses without a link', () => {
  it('lead to notFoundUrl, but not programs that accept JSON, and not certificates', async () => {
    const notFoundUrl = 'https://www.example.com/404';
    const { hostname } = await addDomain({ notFoundUrl });
    for (const path of ['/unknown', '/un/known', '/wp-login.php', '/api/v1/urls', '/%zz', '/a']) {
      const { status, headers } = await visit(hostname, path);
      expect([status, headers.location, headers['cache-control']], path).toEqual([
        302,
        notFoundUrl,
        'no-store',
      ]);
    }
    const json = { headers: { accept: 'application/json' } };
    expect((await visit(hostname, '/unknown', json)).status).toBe(404);
    expect((await visit(hostname, '/unknown', { method: 'POST' })).status).toBe(404);
    expect(await follow(hostname, '/.well-known/acme-challenge/x')).toBe(404);
  });

  it('links that are paused or deleted lead to expiredUrl', async () => {
    const expiredUrl = 'https://www.example.com/over';
    const { hostname, create, change } = await addDomain();
    const { id } = await create({ customSlug: 'finished' });
    await api.call('deleteUrl', { params: { id } });
    expect(await follow(hostname, '/finished')).toBe(410);
    await change({ expiredUrl });
    expect(await follow(hostname, '/finished')).toBe(expiredUrl);
    expect(await follow(hostname, '/unknown')).toBe(404);
    const { clickCount } = await api.getLink(id);
    expect(clickCount).toBe(0);
  });
});

describe('ignoreCase', () => {
  it('finds links in any case, and no other link gets their keys', async () => {
    const { hostname, create, change, id: domainId } = await addDomain();
    await create({ customSlug: 'Spring-Sale', targetUrl: 'https://example.com/one' });
    expect(await follow(hostname, '/SPRING-sale')).toBe(404);
    await change({ ignoreCase: true });
    for (const path of ['/SPRING-sale', '/spring-sale', '/spring-sale/', '/Spring-Sale']) {
      expect(await follow(hostname, path)).toBe('https://example.com/one');
    }
    const query = { shortUrl: `https://${hostname}/SPRING-sale` };
    expect((await api.call('lookupUrl', { query })).data.customSlug).toBe('Spring-Sale');
    const body = { targetUrl, domainId, customSlug: 'spring-sale' };
    expect((await api.call('createUrl', { body })).outcome).toBe('409 SLUG_CONFLICT');
    const { shortCode } = await create({ customSlug: 'Summer' });
    expect(await follow(hostname, `/${shortCode.toUpperCase()}`)).toBe(targetUrl);
    expect(await follow(hostname, '/SUMMER')).toBe(targetUrl);
    await change({ ignoreCase: false });
    expect(await follow(hostname, '/spring-SALE')).toBe(404);
    expect(await follow(hostname, '/Spring-Sale')).toBe('https://example.com/one');
  });

  it('is refused while links differ in case only, and names them', async () => {
    const { create, change } = await addDomain();
    await create({ customSlug: 'Same-Link', importedCode: 'same-link' });
    const { id } = await create({ customSlug: 'Clash' });
    await create({ customSlug: 'clash' });
    const refused = await change({ ignoreCase: true });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    expect(refused.error.message).toContain('Clash and clash');
    expect(refused.error.message).not.toContain('ame-');
    await api.call('deleteUrl', { params: { id }, query: { erase: true } });
    expect((await change({ ignoreCase: true })).status).toBe(200);
  });

  it('applies to the key of an erased link', async () => {
    const { create, id: domainId } = await addDomain({ ignoreCase: true });
    const { id } = await create({ customSlug: 'Erased-Sale' });
    await api.call('deleteUrl', { params: { id }, query: { erase: true } });
    const body = { targetUrl, domainId, customSlug: 'ERASED-sale' };
    expect((await api.call('createUrl', { body })).outcome).toBe('409 SLUG_CONFLICT');
  });

  it('applies to the short URL of a takedown, too', async () => {
    const { hostname, create, change } = await addDomain();
    await create({ customSlug: 'Prize' });
    const takeDown = async (key: string) => {
      const body = { shortUrl: `http://${hostname}/${key}`, reason: 'phishing' };
      const response = await api.operator.call('takeDownUrl', { body });
      return response.status === 201 ? response.data.shortUrl : response.outcome;
    };
    expect(await takeDown('prize')).toBe('404 NOT_FOUND');
    await change({ ignoreCase: true });
    expect(await takeDown('prize')).toBe(`http://${hostname}/Prize`);
    expect(await follow(hostname, '/PRIZE')).toBe(451);
  });
});

it('what a domain forwards applies at once to links without an own setting', async () => {
  const { hostname, create, change } = await addDomain();
  await create({ customSlug: 'by-domain' });
  await create({ customSlug: 'by-itself', forwardQuery: false, forwardPath: false });
  expect(await follow(hostname, '/by-domain?a=1')).toBe(targetUrl);
  await change({ forwardQuery: true, forwardPath: true });
  expect(await follow(hostname, '/by-domain/p?a=1')).toBe(`${targetUrl}p?a=1`);
  expect(await follow(hostname, '/by-itself?a=1')).toBe(targetUrl);
  expect(await follow(hostname, '/by-itself/p')).toBe(404);
  await change({ forwardQuery: false });
  expect(await follow(hostname, '/by-domain?a=1')).toBe(targetUrl);
});

describe('files of a domain', () => {
  it('every domain has robots.txt and an icon', async () => {
    const { hostname } = await addDomain({ notFoundUrl: 'https://www.example.com/404' });
    for (const host of [hostname, 'localhost', '127.0.0.1']) {
      const robots = await visit(host, '/robots.txt');
      expect([robots.status, robots.headers['content-type'], robots.text]).toEqual([
        200,
        'text/plain; charset=utf-8',
        'User-agent: *\nDisallow:\n',
      ]);
      const icon = await visit(host, '/favicon.ico');
      expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/x-icon']);
    }
  });

  it('documents of apps are JSON, and 404 without one', async () => {
    const apple = { applinks: { details: [] } };
    const { hostname, change } = await addDomain({ appleAppSiteAssociation: apple });
    const path = '/.well-known/apple-app-site-association';
    const document = await visit(hostname, path);
    expect(document.headers['content-type']).toBe('application/json');
    expect(document.headers['cache-control']).toBe('public, max-age=300');
    expect(JSON.parse(document.text)).toEqual(apple);
    expect(await follow(hostname, '/.well-known/assetlinks.json')).toBe(404);
    expect(await follow('localhost', path)).toBe(404);
    await change({ appleAppSiteAssociation: null });
    expect(await follow(hostname, path)).toBe(404);
  });
});

describe('the settings of the short domain', () => {
  const host = 'localhost';

  it('lead visitors and serve documents, and custom domains do not have them', async () => {
    expect(await follow(host, '/', platform)).toBe('https://www.example.com/');
    for (const path of ['/unknown', '/un/known', '/nothing.here', '/a%5Cb']) {
      expect(await follow(host, path, platform), path).toBe('https://www.example.com/404');
    }
    expect(await follow(host, '/api/v1/unknown', platform)).toBe(404);
    expect(await follow(host, '/.well-known/assetlinks.json', platform)).toBe(200);
    const body = { targetUrl, customSlug: 'Mixed-Case' };
    const data = await platform.createLink(body);
    expect(await follow(host, '/mixed-case?a=1', platform)).toBe(`${targetUrl}?a=1`);
    await platform.call('deleteUrl', { params: { id: data.id } });
    expect(await follow(host, '/mixed-case', platform)).toBe('https://www.example.com/over');
  });
});
