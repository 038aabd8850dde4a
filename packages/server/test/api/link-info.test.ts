import { HtmlValidate } from 'html-validate';
import { afterAll, describe, expect, it } from 'vitest';
import { agents, startVisitedServer } from '../analytics/visited-server.js';
import { followHost, visitHost } from './visit-host.js';

const minuteMs = 60_000;
const targetUrl = 'https://example.com/sale?a=1';

const api = await startVisitedServer({ countryHeader: 'CF-IPCountry' });
afterAll(() => api.stop());

/** Returns a status and a text without what differs in each response. */
const shown = async (path: string, init?: RequestInit) => {
  const { status, text } = await api.visit(path, init);
  return { status, text };
};
const update = (id: string, body: object) => api.call('updateUrl', { params: { id }, body });

describe('the info page of a link', () => {
  it('shows target, title and date, in the language of the visitor, and is no visit', async () => {
    const { id, shortCode } = await api.createLink({
      targetUrl,
      customSlug: 'info-slug',
      title: 'Spring <sale>',
      utmSource: 'mail',
      infoPage: true,
    });
    const page = await api.visit('/info-slug+', { headers: { 'accept-language': 'de' } });
    expect(page.status).toBe(200);
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.text).toContain('<h1>Dieser Link führt zu</h1>');
    const target = 'https://example.com/sale?a=1&amp;utm_source=mail';
    expect(page.text).toContain(`<a href="${target}" rel="noreferrer nofollow">${target}</a>`);
    expect(page.text).toContain('<p>Spring &lt;sale&gt;</p>');
    expect(page.text).toContain('Erstellt am 1. Januar 2030');
    expect(page.text).not.toContain('<svg');
    expect(page.text).not.toContain(`"${id}"`);
    for (const path of [`/${shortCode}+`, '/info-slug%2B', '/info-slug%2b/', '/info-slug+/?q=1']) {
      expect((await shown(path)).status, path).toBe(200);
    }
    const head = await api.visit('/info-slug+', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    await api.visitAs('info-slug');
    await api.settle();
    expect((await api.getLink(id)).clickCount).toBe(1);
  });

  it('is there on custom domains, in any case where they ignore case', async () => {
    const hostname = 'go.info.example';
    const { id: domainId } = await api.addDomain(hostname);
    await api.call('updateDomain', { params: { id: domainId }, body: { ignoreCase: true } });
    await api.createLink({ domainId, customSlug: 'Sale', infoPage: true });
    expect((await visitHost(api.server.url, hostname, '/SALE+')).status).toBe(200);
    expect((await shown('/Sale+')).status).toBe(404);
  });

  it('is there for codes with slashes, and takes no path from links that forward it', async () => {
    await api.createLink({ customSlug: 'docs-of', forwardPath: true, infoPage: true });
    await api.createLink({ importedCode: 'docs-of/c/d', infoPage: true });
    expect((await shown('/docs-of/c/d+')).text).toContain('This link leads to');
    expect((await shown('/docs-of+')).text).toContain('This link leads to');
    for (const path of ['/c++', '/a/b+', '/+', '/b+/']) {
      const { host } = new URL(api.server.url);
      const location = await followHost(api.server.url, host, `/docs-of${path}`);
      expect(location).toBe(`https://example.com${path}`);
    }
  });

  it('does not tell a link without the page from one that does not exist', async () => {
    const unknown = await shown('/no-such-link+');
    expect(unknown).toEqual(await shown('/no-such-link'));
    expect(unknown.status).toBe(404);
    const later = new Date(api.clock() + minuteMs).toISOString();
    const rule = { when: { country: 'DE' }, targetUrl: 'https://example.com/de' };
    const fields: Readonly<Record<string, object>> = {
      default: { infoPage: null },
      hidden: { infoPage: false, publicStats: true },
      locked: { isPasswordProtected: true, password: 'open sesame' },
      limited: { maxClicks: 5 },
      early: { activatesAt: later },
      ruled: { rules: [rule] },
      paused: { isActive: false },
    };
    const codes = new Map<string, string>();
    for (const [name, body] of Object.entries(fields)) {
      codes.set(name, (await api.createLink({ infoPage: true, ...body })).shortCode);
    }
    const taken = await api.createLink({ infoPage: true });
    codes.set('taken', taken.shortCode);
    await api.operator.call('takeDownUrl', { body: { shortUrl: taken.shortUrl, reason: 'spam' } });
    const deleted = await api.createLink({ infoPage: true });
    codes.set('deleted', deleted.shortCode);
    await api.call('deleteUrl', { params: { id: deleted.id } });
    const erased = await api.createLink({ infoPage: true });
    codes.set('erased', erased.shortCode);
    await api.call('deleteUrl', { params: { id: erased.id }, query: { erase: true } });
    const blocked = await api.createLink({ infoPage: true, targetUrl: 'https://evil.example/' });
    codes.set('blocked', blocked.shortCode);
    expect((await shown(`/${blocked.shortCode}+`)).status).toBe(200);
    await api.operator.call('blockHost', { body: { host: 'evil.example', reason: 'phishing' } });
    const expired = await api.createLink({ infoPage: true, expiresAt: later });
    codes.set('expired', expired.shortCode);
    expect((await shown(`/${expired.shortCode}+`)).status).toBe(200);
    api.clock.advance(minuteMs);
    // The start of this link has come.
    expect((await shown(`/${codes.get('early')}+`)).status).toBe(200);
    codes.delete('early');
    for (const [name, code] of codes) expect(await shown(`/${code}+`), name).toEqual(unknown);
    const accept = { headers: { accept: 'application/json' } };
    expect((await api.visit(`/${taken.shortCode}+`, accept)).outcome).toBe('404 NOT_FOUND');
  });

  it('is on for all links with SHORTY_LINK_INFO=1, but those that say otherwise', async () => {
    const other = await startVisitedServer({ linkInfo: true });
    const status = async (body: object) =>
      (await other.visit(`/${(await other.createLink(body)).shortCode}+`)).status;
    expect(await status({})).toBe(200);
    expect(await status({ infoPage: false })).toBe(404);
    await other.stop();
  });
});

it('public statistics show all clicks, and those of 30 days by country, for a minute', async () => {
  const { id, shortCode } = await api.createLink({ publicStats: true });
  const visitFrom = (country: string) =>
    api.visit(`/${shortCode}`, {
      headers: {
        'user-agent': agents.firefox,
        'x-forwarded-for': '192.0.2.1',
        'cf-ipcountry': country,
      },
    });
  for (const country of ['DE', 'DE', 'FR', 'XX']) await visitFrom(country);
  await api.settle();
  // A report ends before now.
  api.clock.advance(1);
  const read = async () => (await api.visit(`/${shortCode}+`)).text;
  const page = await read();
  expect(page).toContain('<h2>Clicks: 4</h2>');
  expect(page).toMatch(/<title>2030-01-01: 4<\/title>/);
  for (const [name, count] of [
    ['Germany', 2],
    ['France', 1],
    ['Unknown Region', 1],
  ]) {
    expect(page).toContain(`<tr><th scope="row">${name}</th><td>${count}</td></tr>`);
  }
  const report = await new HtmlValidate({ extends: ['html-validate:standard'] }).validateString(
    page,
  );
  expect(report.results.flatMap(({ messages }) => messages)).toEqual([]);
  await visitFrom('DE');
  await api.settle();
  expect(await read()).toBe(page);
  api.clock.advance(minuteMs + 1);
  expect(await read()).toContain('<h2>Clicks: 5</h2>');
  await update(id, { publicStats: null, infoPage: true });
  expect(await read()).not.toContain('Clicks');
  await update(id, { infoPage: null });
  expect((await shown(`/${shortCode}+`)).status).toBe(404);
});
