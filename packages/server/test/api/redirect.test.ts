import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';
import { followHost, type HostVisitOptions } from './visit-host.js';

const targetUrl = 'https://example.com/page?a=1#top';
const json = { headers: { accept: 'application/json' } };

const api = await startForFile();

const create = (body: object = {}) => api.createLink({ targetUrl, ...body });

describe('GET /{code}', () => {
  it.each([
    [301, 'private, max-age=90'],
    [302, 'no-store'],
    [307, 'no-store'],
    [308, 'private, max-age=90'],
  ])('redirects with %i and Cache-Control: %s', async (redirectType, cacheControl) => {
    const { shortCode } = await create({ redirectType });
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await api.visit(`/${shortCode}`, { method });
      expect(response.status).toBe(redirectType);
      expect(response.headers.get('location')).toBe(targetUrl);
      expect(response.headers.get('cache-control')).toBe(cacheControl);
      expect(response.text).toBe('');
    }
  });

  it('matches slugs and codes case-sensitively', async () => {
    await create({ customSlug: 'MixedCase' });
    expect((await api.visit('/MixedCase')).status).toBe(307);
    expect((await api.visit('/mixedcase')).status).toBe(404);
    const { shortCode } = await create({ customSlug: 'only-letters' });
    const swapped = shortCode.replace(/[a-z]/gi, (letter) =>
      letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
    );
    if (swapped !== shortCode) expect((await api.visit(`/${swapped}`)).status).toBe(404);
  });

  it.each([
    ['/plain%2Done', 307],
    ['/%70%6C%61%69%6E%2D%6F%6E%65/', 307],
    ['/plain-one%2E', 404],
    ['/plain%252Done', 404],
    ['/plain%FFone', 404],
    ['/%61pi', 404],
  ])('decodes the unreserved characters of a key: %s is %i', async (path, status) => {
    await api.call('createUrl', { body: { targetUrl, customSlug: 'plain-one' } });
    // Before and after the link is cached.
    for (const known of ['/unknown-key', '/plain-one']) {
      await api.visit(known);
      const response = await fetch(api.server.url + path, { redirect: 'manual' });
      expect(response.status).toBe(status);
      if (status === 307) expect(response.headers.get('location')).toBe(targetUrl);
    }
  });

  it('sets the UTM fields by their parameter names, and the custom ones after them', async () => {
    const { shortCode } = await create({
      targetUrl: 'https://example.com/?utm_term=old&keep=1#f',
      utmSource: 's',
      utmMedium: 'm',
      utmCampaign: 'c',
      utmTerm: 't',
      utmContent: 'n',
      customUtmParams: { utm_id: 'i' },
    });
    expect((await api.visit(`/${shortCode}`)).headers.get('location')).toBe(
      'https://example.com/?keep=1&utm_source=s&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=n&utm_id=i#f',
    );
  });

  it('does not forward query parameters of the visit', async () => {
    const { shortCode } = await create();
    for (const query of ['?a=2', '?evil=//other.example', '?', '?/../x', '?%0d%0aX: y']) {
      const response = await api.visit(`/${shortCode}${query}`);
      expect(response.headers.get('location')).toBe(targetUrl);
    }
  });

  it('responds with 404 for paths below a link', async () => {
    const { shortCode } = await create();
    for (const path of [
      `/${shortCode}//`,
      `/${shortCode}/x`,
      `//${shortCode}`,
      `/${shortCode}.x`,
    ]) {
      expect((await api.visit(path)).status).toBe(404);
    }
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'responds with 405 to %s of a link without a password',
    async (method) => {
      const { shortCode } = await create();
      const response = await api.visit(`/${shortCode}`, { method });
      expect(response.outcome).toBe('405 METHOD_NOT_ALLOWED');
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    },
  );
});

describe('unknown and inactive links', () => {
  it('respond with JSON for Accept: application/json, and to HEAD without a body', async () => {
    const paused = await create();
    await api.call('updateUrl', { params: { id: paused.id }, body: { isActive: false } });
    const deleted = await create();
    await api.call('deleteUrl', { params: { id: deleted.id } });
    for (const [path, outcome] of [
      ['/noSuch1', '404 NOT_FOUND'],
      [`/${paused.shortCode}`, '410 GONE'],
      [`/${deleted.shortCode}`, '410 GONE'],
    ] as const) {
      expect((await api.visit(path, json)).outcome).toBe(outcome);
      const head = await api.visit(path, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([Number(outcome.slice(0, 3)), '']);
    }
  });

  it('redirect once they are created, even if they were visited before', async () => {
    expect((await api.visit('/not-yet')).status).toBe(404);
    await create({ customSlug: 'not-yet' });
    expect((await api.visit('/not-yet')).status).toBe(307);
  });

  it.each(['/a', '/abc-', `/${'x'.repeat(51)}`, '/favicon.png'])(
    '%s cannot be a link: 404',
    async (path) => {
      expect((await api.visit(path)).status).toBe(404);
    },
  );
});

describe('pages', () => {
  it.each(['/', '/noSuch1', '/nothing.here'])(
    '%s loads no resources and cannot be framed',
    async (path) => {
      const response = await api.visit(path);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.text).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/);
      expect(response.text).not.toMatch(/<script|src=|url\(/);
    },
  );

  it('do not contain any part of the requested address', async () => {
    for (const path of ['/<script>alert(1)</script>', '/x?q=<script>', '/%3Cscript%3E']) {
      const { text } = await api.visit(path);
      expect(text).not.toMatch(/<script|%3Cscript/i);
    }
  });
});

function follow(path: string, options: HostVisitOptions = {}) {
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  };
  const { url } = api.server;
  return followHost(url, new URL(url).host, path, { headers, ...options });
}

describe('forwardQuery', () => {
  it('adds parameters that the target does not have', async () => {
    await create({
      targetUrl: 'https://example.com/page?a=1#top',
      customSlug: 'with-query',
      utmSource: 'mail',
      forwardQuery: true,
    });
    expect(await follow('/with-query')).toBe('https://example.com/page?a=1&utm_source=mail#top');
    expect(await follow('/with-query/?a=2&utm_source=x&gclid=7&b=%20')).toBe(
      'https://example.com/page?a=1&utm_source=mail&gclid=7&b=%20#top',
    );
    expect(await follow('/with-query?q="<x>')).toBe(
      'https://example.com/page?a=1&utm_source=mail&q=%22%3Cx%3E#top',
    );
    expect(await follow('/with-query/further')).toBe(404);
  });

  it('applies after a password', async () => {
    await create({
      targetUrl: 'https://example.com/',
      customSlug: 'locked',
      isPasswordProtected: true,
      password: 'sesame',
      forwardQuery: true,
      forwardPath: true,
    });
    const unlock = { method: 'POST', body: 'password=sesame' };
    expect(await follow('/locked/a/b?c=1')).toBe(200);
    expect(await follow('/locked/a/b?c=1', unlock)).toBe('https://example.com/a/b?c=1');
  });
});

describe('forwardPath', () => {
  it('adds the path after the link', async () => {
    const { id, shortCode } = await create({
      targetUrl: 'https://example.com/docs?v=1#top',
      customSlug: 'handbook',
      forwardPath: true,
    });
    expect(await follow('/handbook/')).toBe('https://example.com/docs?v=1#top');
    expect(await follow('/handbook/a/b?v=2')).toBe('https://example.com/docs/a/b?v=1#top');
    expect(await follow(`/${shortCode}/a%20b`)).toBe('https://example.com/docs/a%20b?v=1#top');
    const odd = ['//', '//evil.com', '/../a', '/%2e%2e/a', '/a%2fb', '/a\\b', '/a%5Cb'];
    for (const path of [...odd, '/a//b', '/a%0d%0aLocation:x', `/${'x'.repeat(8_192)}`]) {
      expect(await follow(`/handbook${path}`), path).toBe(404);
    }
    await api.call('updateUrl', { params: { id }, body: { forwardPath: null } });
    expect(await follow('/handbook/a')).toBe(404);
  });

  it('counts visits below a link', async () => {
    const targetUrl = 'https://example.com/';
    const { id } = await create({ targetUrl, customSlug: 'counted', forwardPath: true });
    await follow('/counted/a');
    await follow('/counted/b?c=1');
    await expect.poll(async () => (await api.getLink(id)).clickCount).toBe(2);
  });
});
