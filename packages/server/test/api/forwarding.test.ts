import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';
import { followHost, type HostVisitOptions } from './visit-host.js';

const api = await startForFile();

const create = api.createLink;

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
