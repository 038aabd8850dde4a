import type { RequestListener } from 'node:http';
import { HtmlValidate } from 'html-validate';
import { Parser } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { httpServer } from '../network/local-server.js';
import { startForFile, startForTest } from './start-server.js';

const targetUrl = 'https://example.com/sale?a=1';
const preview = {
  title: 'Spring <sale> & "more"',
  description: "Everything at half price: it's <b>cheap</b>",
  imageUrl: 'https://example.com/sale.png?w=1&h=2',
};
const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const slack = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const applebot = 'Mozilla/5.0 (Macintosh) (Applebot/0.1; +http://www.apple.com/go/applebot)';
const minuteMs = 60_000;

// Targets of tests are on the loopback interface.
const api = await startForFile({ allowPrivateNetwork: true });

const create = (body: object = {}) => api.createLink({ targetUrl, ...body });
const get = api.getLink;
const patch = (id: string, body: object) => api.call('updateUrl', { params: { id }, body });
const visit = (code: string, agent: string, method = 'GET') =>
  api.visit(`/${code}`, { method, headers: { 'user-agent': agent } });

/** Returns the metadata of a page, the addresses of its links, and its text. */
function readPage(page: string) {
  const metas: Record<string, string> = {};
  const links: Record<string, string> = {};
  const hrefs: string[] = [];
  const parser = new Parser({
    onopentag(tag, { name, property, content = '', rel = '', href = '' }) {
      if (tag === 'meta' && (name ?? property)) metas[(name ?? property) as string] = content;
      if (tag === 'link') links[rel] = href;
      if (tag === 'a') hrefs.push(href);
    },
  });
  parser.end(page);
  return { metas, links, hrefs };
}

describe('an own preview', () => {
  it('is a page with the metadata of Open Graph and Twitter, escaped and valid', async () => {
    const { shortUrl } = await create({ customSlug: 'own-preview', preview, utmSource: 'mail' });
    const { status, headers, text } = await visit('own-preview', slack);
    expect(status).toBe(200);
    const { metas, links, hrefs } = readPage(text);
    expect(metas).toMatchObject({
      description: preview.description,
      'og:type': 'website',
      'og:url': shortUrl,
      'og:title': preview.title,
      'og:description': preview.description,
      'og:image': preview.imageUrl,
      'twitter:card': 'summary_large_image',
      'twitter:title': preview.title,
      'twitter:description': preview.description,
      'twitter:image': preview.imageUrl,
    });
    expect(links.canonical).toBe(shortUrl);
    expect(hrefs).toEqual([`${targetUrl}&utm_source=mail`]);
    expect(text).not.toMatch(/<(?:sale|b|script|img|iframe)\b/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'User-Agent',
      'content-length': String(Buffer.byteLength(text)),
      'x-content-type-options': 'nosniff',
    });
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it.each([
    ['all fields', preview],
    ['marks of direction', { title: '\u200fמבצע', description: '\u200eSale' }],
  ])('with %s is valid HTML', async (_, own) => {
    const { shortCode } = await create({ preview: own });
    const { text } = await visit(shortCode, slack);
    const validator = new HtmlValidate({
      extends: ['html-validate:standard', 'html-validate:document'],
    });
    const report = await validator.validateString(text);
    expect(report.results.flatMap(({ messages }) => messages)).toEqual([]);
    expect(text).not.toContain('[U+');
  });

  // link-previewers.test.ts has the other programs.
  it('is for programs that preview links; people are redirected', async () => {
    const { shortCode } = await create({ preview, redirectType: 301 });
    for (const agent of [slack, applebot, 'facebookexternalhit/1.1;line-poker/1.0']) {
      const { text } = await visit(shortCode, agent);
      expect(readPage(text).metas['og:title'], agent).toBe(preview.title);
    }
    for (const agent of [person, 'curl/8.5.0', '']) {
      const { status, headers } = await visit(shortCode, agent);
      expect([status, headers.get('location'), headers.get('vary')]).toEqual([
        301,
        targetUrl,
        'User-Agent',
      ]);
    }
  });

  it('answers HEAD with the headers alone', async () => {
    const { shortCode } = await create({ preview });
    const full = await visit(shortCode, slack);
    const { status, headers, text } = await visit(shortCode, slack, 'HEAD');
    expect([status, text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'vary', 'content-security-policy'])
      expect(headers.get(name), name).toBe(full.headers.get(name));
    expect((await visit(shortCode, person, 'HEAD')).status).toBe(307);
  });

  it('is the same whichever rule matches, and links where the rule leads', async () => {
    const { shortCode } = await create({
      preview,
      forwardQuery: true,
      rules: [{ name: 'all', when: {}, targetUrl: 'https://example.com/rule' }],
    });
    const { text } = await visit(`${shortCode}?ref=7`, slack);
    expect(readPage(text).metas['og:title']).toBe(preview.title);
    expect(readPage(text).hrefs).toEqual(['https://example.com/rule?ref=7']);
  });

  it('can be changed and removed, with effect on the next visit', async () => {
    const { id, shortCode } = await create({ preview });
    expect((await get(id)).preview).toEqual(preview);
    const changed = await patch(id, { preview: { title: 'Other' } });
    const other = { title: 'Other', description: null, imageUrl: null };
    expect(changed.data).toMatchObject({ preview: other });
    const { metas } = readPage((await visit(shortCode, slack)).text);
    expect(metas).toMatchObject({ 'og:title': 'Other', 'twitter:card': 'summary' });
    expect(Object.keys(metas)).not.toContain('og:description');
    await patch(id, { preview: null });
    const { status, headers } = await visit(shortCode, slack);
    expect([status, headers.get('vary')]).toEqual([307, null]);
  });

  it('does not count as a click', async () => {
    const { id, shortCode } = await create({ preview });
    await visit(shortCode, slack);
    await visit(shortCode, person);
    await expect.poll(async () => (await get(id)).clickCount).toBe(1);
  });

  it.each([
    [{ title: 'Sale', imageUrl: 'ftp://example.com/a.png' }, 'preview.imageUrl'],
    [{ description: 'No title' }, 'preview.title'],
    [{ title: 'gnp.\u202eexe' }, 'preview.title'],
  ])('%j is refused, and the error names %s', async (value, path) => {
    const created = await api.call('createUrl', { body: { targetUrl, preview: value } });
    expect([created.outcome, created.invalidFields]).toEqual(['400 VALIDATION_FAILED', [path]]);
  });
});

it('no preview is shown of a link that is locked, over, not begun or taken down', async () => {
  const now = api.clock();
  const isoIn = (ms: number) => new Date(now + ms).toISOString();
  const links = {
    locked: await create({ preview, isPasswordProtected: true, password: 'sesame' }),
    early: await create({ preview, activatesAt: isoIn(2 * minuteMs) }),
    expired: await create({ preview, expiresAt: isoIn(minuteMs) }),
    paused: await create({ preview, isActive: false }),
    takenDown: await create({ preview }),
    usedUp: await create({ preview, maxClicks: 1 }),
  };
  await api.operator.call('takeDownUrl', {
    body: { shortUrl: links.takenDown.shortUrl, reason: 'phishing' },
  });
  await visit(links.usedUp.shortCode, slack);
  for (const status of [307, 410]) {
    expect((await visit(links.usedUp.shortCode, person)).status).toBe(status);
  }
  api.clock.advance(minuteMs);
  const statuses = {
    locked: 200,
    early: 404,
    expired: 410,
    paused: 410,
    takenDown: 451,
    usedUp: 410,
  };
  for (const [name, { shortCode }] of Object.entries(links)) {
    const { status, text } = await visit(shortCode, slack);
    expect([name, status]).toEqual([name, statuses[name as keyof typeof statuses]]);
    expect(text).not.toContain('half price');
    expect(text).not.toContain('og:');
  }
  const unlocked = await api.visit(`/${links.locked.shortCode}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': slack },
    body: 'password=sesame',
  });
  expect([unlocked.status, unlocked.headers.get('location')]).toEqual([303, targetUrl]);
});

/** Starts a page, and returns its URL and its requests. */
async function page(listener: RequestListener) {
  const requests: string[] = [];
  const server = await httpServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers['user-agent']}`);
    listener(request, response);
  });
  return { url: `${server.url}/page`, requests };
}
const html = 'text/html; charset=utf-8';
const serving = (text: string, type = html) =>
  page((_, response) => response.setHeader('content-type', type).end(text));
const sending = (status: number, headers: Record<string, string>) =>
  page((_, response) => response.writeHead(status, headers).end('<title>x</title>'));

describe('the metadata of a page', () => {
  const metadataOf = async (url: string) =>
    (await api.call('getUrlMetadata', { query: { url } })).data;

  it('are its title, text and picture, read once', async () => {
    const { url, requests } = await serving(
      '<title>Page</title><meta property="og:title" content="Größe &amp; Farbe"><meta property="og:image" content="/o.png">',
    );
    expect(await metadataOf(url)).toEqual({
      title: 'Größe & Farbe',
      description: null,
      imageUrl: new URL('/o.png', url).href,
      error: null,
    });
    expect(requests).toEqual([
      expect.stringMatching(/^GET \/page Mozilla\/5\.0 \(compatible; Shorty-LinkPreview\/\S+\)$/),
    ]);
  });

  it('of an endless page are read from its beginning, within the time', async () => {
    const { url } = await page((_, response) => {
      response.setHeader('content-type', html);
      response.write('<title>Endless</title>');
      const timer = setInterval(() => response.write('x'.repeat(100_000)), 5);
      response.on('close', () => clearInterval(timer));
    });
    expect(await metadataOf(url)).toMatchObject({ title: 'Endless', error: null });
  });

  it('are null with the reason if the page cannot be read', async () => {
    const cases = [
      [await serving('%PDF', 'application/pdf'), 'The page is application/pdf, not text/html'],
      [await sending(200, {}), 'The page is of an unknown type, not text/html'],
      [
        await sending(200, { 'content-type': html, 'content-encoding': 'gzip' }),
        'The page is compressed as gzip, which was not asked for',
      ],
      [
        await sending(302, { location: 'http://127.0.0.1:22/' }),
        'The URL must not use port 22, which is reserved for another service',
      ],
      [{ url: 'http://user@127.0.0.1/' }, 'The URL must not contain a user name or password'],
    ] as const;
    for (const [{ url }, error] of cases) {
      expect(await metadataOf(url)).toEqual({
        title: null,
        description: null,
        imageUrl: null,
        error,
      });
    }
  });

  it('are not read from an address inside the network', async () => {
    const guarded = await startForTest();
    const query = { url: 'http://169.254.169.254/latest' };
    expect((await guarded.call('getUrlMetadata', { query })).data).toMatchObject({
      title: null,
      error: expect.stringContaining('must have a public address'),
    });
  });
});

describe('fetchTitle', () => {
  const titleOf = async (id: string) => (await get(id)).title;

  it('stores the title of the target in the background, alone and in bulk', async () => {
    const { url, requests } = await serving('<title>Target</title>');
    const { id } = await create({ targetUrl: url, fetchTitle: true });
    const urls = [1, 2].map(() => ({ targetUrl: url, fetchTitle: true }));
    const { created } = (await api.call('bulkCreateUrls', { body: { urls } })).data;
    for (const each of [id, ...created.map((link: { id: string }) => link.id)]) {
      await expect.poll(() => titleOf(each)).toBe('Target');
    }
    expect(requests).toHaveLength(3);
  });

  it('keeps a title that was given, or set meanwhile', async () => {
    const { url, requests } = await serving('<title>Target</title>');
    await create({ targetUrl: url, fetchTitle: true, title: 'Given' });
    expect(requests).toEqual([]);
    let respond = () => {};
    const slow = await page((_, response) => {
      respond = () => response.setHeader('content-type', html).end('<title>Late</title>');
    });
    const { id } = await create({ targetUrl: slow.url, fetchTitle: true });
    await expect.poll(() => slow.requests.length).toBe(1);
    await patch(id, { title: 'Set meanwhile' });
    respond();
    const later = await create({ targetUrl: url, fetchTitle: true });
    await expect.poll(() => titleOf(later.id)).toBe('Target');
    expect(await titleOf(id)).toBe('Set meanwhile');
  });
});
