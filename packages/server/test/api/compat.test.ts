import { describe, expect, it, onTestFinished } from 'vitest';
import { startForFile, startServer } from './start-server.js';

// The requests are those that clients of these services send.
const api = await startForFile({ compat: ['yourls', 'bitly', 'shlink'] });
const domain = await api.addDomain('go.example.com');
const base = api.server.url;
const keyWith = async (body: object = {}) =>
  (await api.call('createApiKey', { body: { name: 'client', ...body } })).data.key;
const key = await keyWith();
let count = 0;
const newTarget = () => `https://example.com/${count++}?a=1&b=<2>`;

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(base + path, init);
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const json = type.includes('json') ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, type, text, json };
}

describe('YOURLS', () => {
  const path = '/yourls-api.php';
  const get = (fields: Record<string, string>) => ask(`${path}?${new URLSearchParams(fields)}`);
  const asJson = (fields: Record<string, string>) =>
    get({ signature: key, format: 'json', ...fields });

  it('answers ShareX: multipart/form-data, and the short URL as text', async () => {
    const body = new FormData();
    const fields = { signature: key, action: 'shorturl', url: newTarget(), format: 'simple' };
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const first = await ask(path, { method: 'POST', body });
    expect(first).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' });
    const visit = await fetch(first.text, { redirect: 'manual' });
    expect(visit.headers.get('location')).toBe(new URL(fields.url).href);
    const again = await ask(path, { method: 'POST', body });
    expect([again.status, again.text]).toEqual([200, first.text]);
  });

  it('answers PrivateBin: a form, and JSON with statusCode 200 also for a link that exists', async () => {
    const url = newTarget();
    const body = new URLSearchParams({ signature: key, format: 'json', action: 'shorturl', url });
    const first = await ask(path, { method: 'POST', body });
    const shorturl = first.json.shorturl;
    const keyword = shorturl.replace(/^.*\//, '');
    expect([first.status, first.json]).toEqual([
      200,
      {
        status: 'success',
        url: { keyword, url, title: '', date: '2030-01-01 00:00:00', ip: '', clicks: '0' },
        message: `${url} added to database`,
        title: '',
        shorturl,
        statusCode: 200,
      },
    ]);
    const again = await ask(path, { method: 'POST', body });
    expect([again.status, again.json]).toMatchObject([
      200,
      { status: 'fail', code: 'error:url', shorturl, statusCode: 200, url: { keyword } },
    ]);
  });

  it('answers extensions: GET with keyword and title, and names what it refuses', async () => {
    const wanted = { action: 'shorturl', url: 'example.com/page', keyword: 'ozh', title: 'A page' };
    const made = await asJson(wanted);
    expect(made.json).toMatchObject({
      status: 'success',
      url: { keyword: 'ozh', url: 'http://example.com/page', title: 'A page' },
      shorturl: `${base}/ozh`,
    });
    const taken = await asJson({ ...wanted, url: newTarget() });
    expect([taken.status, taken.json]).toMatchObject([
      400,
      { status: 'fail', code: 'error:keyword', statusCode: '400' },
    ]);
    const reserved = await asJson({ ...wanted, keyword: 'rest' });
    expect(reserved.json).toMatchObject({ code: 'error:keyword' });
    const none = await asJson({ action: 'shorturl' });
    expect([none.status, none.json]).toMatchObject([400, { code: 'error:nourl' }]);
    const unknown = await asJson({ action: 'delete' });
    expect([unknown.status, unknown.json.errorCode]).toEqual([400, '400']);
  });

  it('expands short URLs and keywords, in each format', async () => {
    const { json } = await asJson({ action: 'shorturl', url: newTarget(), keyword: 'expanded' });
    const longurl = json.url.url;
    const fields = { action: 'expand', shorturl: 'expanded' };
    expect((await asJson({ ...fields, shorturl: json.shorturl })).json).toEqual({
      ...{ keyword: 'expanded', shorturl: json.shorturl, longurl, title: '' },
      ...{ message: 'success', statusCode: 200 },
    });
    const xml = await get({ ...fields, signature: key });
    expect(xml.type).toContain('application/xml');
    expect(xml.text).toMatch(/<longurl>https:[^<]*\?a=1&amp;b=&lt;2&gt;<\/longurl>/);
    expect((await get({ ...fields, signature: key, format: 'simple' })).text).toBe(longurl);
    const missing = await asJson({ ...fields, shorturl: 'nothing-here' });
    expect([missing.status, missing.json]).toMatchObject([
      404,
      { message: 'Error: short URL not found', errorCode: '404' },
    ]);
  });

  it('tells the clicks of a link, and of the links with the most', async () => {
    const owner = await api.newcomer('scale');
    const body = { name: 'stats' };
    const signature = (await owner.call('createApiKey', { body })).data.key;
    const urls = [0, 7].map((importedClicks) => ({ targetUrl: newTarget(), importedClicks }));
    const { created } = (await owner.call('bulkCreateUrls', { body: { urls } })).data;
    const shorturl = created[1]?.shortUrl as string;
    const one = await asJson({ signature, action: 'url-stats', shorturl });
    expect(one.json).toMatchObject({ statusCode: 200, link: { shorturl, clicks: '7' } });
    const stats = { signature, action: 'stats', filter: 'last' };
    const all = await asJson({ ...stats, limit: '1' });
    expect(all.json).toEqual({
      links: { link_1: one.json.link },
      stats: { total_links: '2', total_clicks: '7' },
      ...{ message: 'success', statusCode: 200 },
    });
    const counts = await asJson(stats);
    expect(counts.json.links).toBeUndefined();
    // One request is one API call, whatever it reads.
    const left = ({ headers }: typeof all) => Number(headers.get('ratelimit-remaining'));
    expect(left(all) - left(counts)).toBe(1);
  });

  it('answers strangers with its version only, and pages that load a script with no more', async () => {
    expect((await get({ action: 'version', format: 'json' })).json).toEqual({
      version: expect.stringMatching(/^1\.\d+/),
    });
    const jsonp = { action: 'version', format: 'jsonp', callback: 'jQuery1_2.done' };
    const script = await get(jsonp);
    expect(script.type).toContain('javascript');
    expect(script.text).toMatch(/^jQuery1_2\.done\(\{"version":.*\}\)$/);
    const refused = [
      await get({ ...jsonp, action: 'expand', shorturl: 'ozh' }),
      await get({ ...jsonp, signature: key }),
      await get({ ...jsonp, action: 'expand', shorturl: 'ozh', signature: key }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 400, 400]);
    for (const { text } of refused) expect(text).not.toContain('example.com');
    const forged = await get({ ...jsonp, callback: 'alert(1)//' });
    expect([forged.type, forged.text]).toEqual([
      expect.stringContaining('json'),
      expect.not.stringContaining('alert'),
    ]);
  });

  it('refuses wrong keys, sessions and scopes, and bodies that are no form', async () => {
    for (const signature of ['', 'wrong', `shorty_ak_${'A'.repeat(43)}`]) {
      const { status, json } = await asJson({ action: 'stats', signature });
      expect([status, json.errorCode]).toEqual([403, '403']);
    }
    const narrow = await keyWith({ scopes: ['urls:read'] });
    const wanted = { action: 'shorturl', url: newTarget(), signature: narrow };
    const scoped = await asJson(wanted);
    expect([scoped.status, scoped.json.message]).toEqual([
      403,
      expect.stringContaining('urls:write'),
    ]);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const malformed = await ask(path, { method: 'POST', headers, body: '--y\r\n' });
    expect(malformed.status).toBe(400);
    expect((await ask(path, { method: 'POST', body: 'x'.repeat(40_000) })).status).toBe(413);
    expect((await ask(path, { method: 'PUT' })).status).toBe(405);
  });

  it('creates links on the domain of a restricted key', async () => {
    const signature = await keyWith({ domainId: domain.id });
    const { json } = await asJson({ action: 'shorturl', url: newTarget(), signature });
    expect(json.shorturl).toMatch(/\/\/go\.example\.com\//);
  });
});

describe('Bitly', () => {
  const shorten = (body: object, token = key) =>
    ask('/v4/shorten', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('answers ShareX: 201 with a bitlink, and 200 with the same one', async () => {
    const longUrl = newTarget();
    const { status, json } = await shorten({ long_url: longUrl, domain: 'bit.ly' });
    expect([status, json]).toEqual([
      201,
      {
        created_at: '2030-01-01T00:00:00+0000',
        id: json.link.replace('http://', ''),
        link: expect.stringContaining(base),
        custom_bitlinks: [],
        long_url: longUrl,
        title: '',
        archived: false,
        tags: [],
        deeplinks: [],
        references: { group: `${base}/v4/groups/${api.organizationId}` },
      },
    ]);
    const again = await shorten({ long_url: longUrl });
    expect([again.status, again.json.link]).toEqual([200, json.link]);
    const forced = await shorten({ long_url: longUrl, force_new_link: true });
    expect(forced.json.link).not.toBe(json.link);
  });

  it('uses custom domains, and names what it refuses', async () => {
    const own = await shorten({ long_url: newTarget(), domain: 'go.example.com' });
    expect(own.json.id).toMatch(/^go\.example\.com\//);
    const unknown = await shorten({ long_url: newTarget(), domain: 'other.example' });
    expect([unknown.status, unknown.json]).toMatchObject([
      400,
      { message: 'INVALID_ARG_DOMAIN', errors: [{ field: 'domain', error_code: 'invalid' }] },
    ]);
    const invalid = await shorten({ long_url: 'no url' });
    expect([invalid.status, invalid.json]).toMatchObject([
      400,
      { message: 'INVALID_ARG_LONG_URL', resource: 'bitlinks', errors: [{ field: 'long_url' }] },
    ]);
    const stranger = await shorten({ long_url: newTarget() }, 'wrong');
    expect([stranger.status, stranger.json.message]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('Shlink', () => {
  const path = '/rest/v3/short-urls';
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const create = (body: object, more: Record<string, string> = {}) =>
    ask(path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });

  it('answers PrivateBin, which sends the URL alone', async () => {
    const { status, json } = await create({ longUrl: newTarget() });
    expect([status, json.shortUrl]).toEqual([200, `${base}/${json.shortCode}`]);
  });

  it('answers the forms of its web client and apps, and reads the link by its code', async () => {
    const longUrl = newTarget();
    const made = await create({
      ...{ longUrl, tags: ['games'], customSlug: 'store', title: 'Store', maxVisits: 500 },
      ...{ validSince: '2030-01-21T00:00:00+02:00', validUntil: null, forwardQuery: true },
      ...{ findIfExists: false, crawlable: true, shortCodeLength: 5, domain: null },
    });
    const link = {
      shortCode: 'store',
      shortUrl: `${base}/store`,
      longUrl,
      dateCreated: '2030-01-01T00:00:00+00:00',
      visitsSummary: { total: 0, nonBots: 0, bots: 0 },
      tags: ['games'],
      meta: { validSince: '2030-01-20T22:00:00+00:00', validUntil: null, maxVisits: 500 },
      ...{ domain: null, title: 'Store', crawlable: false, forwardQuery: true },
      hasRedirectRules: false,
    };
    expect([made.status, made.json]).toEqual([200, link]);
    expect((await ask(`${path}/store`, { headers })).json).toEqual(link);
  });

  it('finds an equal link only if asked to, and reads links of custom domains', async () => {
    const body = { longUrl: newTarget(), domain: 'go.example.com' };
    const { json } = await create(body);
    expect(json.domain).toBe('go.example.com');
    expect((await create({ ...body, findIfExists: true })).json).toEqual(json);
    expect((await create(body)).json.shortCode).not.toBe(json.shortCode);
    const onDomain = await ask(`${path}/${json.shortCode}?domain=go.example.com`, { headers });
    expect(onDomain.json).toEqual(json);
    expect((await ask(`${path}/${json.shortCode}`, { headers })).status).toBe(404);
  });

  it('reads a code with slashes, and counts the clicks from before an import', async () => {
    const body = { targetUrl: newTarget(), importedCode: 'games/store', importedClicks: 7 };
    await api.call('createUrl', { body });
    const { status, json } = await ask(`${path}/games/store`, { headers });
    expect([status, json.shortCode]).toEqual([200, 'games/store']);
    expect(json.visitsSummary).toEqual({ total: 7, nonBots: 7, bots: 0 });
    const missing = await ask(`${path}/games/none`, { headers });
    expect([missing.status, missing.json.shortCode]).toEqual([404, 'games/none']);
  });

  it('answers errors as problem details with the types of Shlink', async () => {
    const type = (name: string) => `https://shlink.io/api/error/${name}`;
    const missing = await ask(`${path}/abc123`, { headers });
    expect(missing.type).toContain('application/problem+json');
    expect([missing.status, missing.json]).toEqual([
      404,
      {
        type: type('short-url-not-found'),
        title: 'Short URL not found',
        detail: 'No URL found with short code "abc123"',
        status: 404,
        shortCode: 'abc123',
      },
    ]);
    await create({ longUrl: newTarget(), customSlug: 'taken-slug' });
    const taken = await create({ longUrl: newTarget(), customSlug: 'taken-slug' });
    expect([taken.status, taken.json.type]).toEqual([400, type('non-unique-slug')]);
    const invalid = await create({ longUrl: 'no url', maxVisits: -1 });
    expect([invalid.status, invalid.json]).toMatchObject([
      400,
      { type: type('invalid-data'), invalidElements: ['longUrl', 'maxVisits'] },
    ]);
    const unknown = await create({ longUrl: newTarget(), domain: 'other.example' });
    expect(unknown.json).toMatchObject({ status: 400, invalidElements: ['domain'] });
    const wrong = await create({ longUrl: newTarget() }, { 'x-api-key': 'wrong' });
    expect([wrong.status, wrong.json.type]).toEqual([401, type('invalid-api-key')]);
    const none = await ask(`${path}/abc123`);
    expect([none.status, none.json.type]).toEqual([401, type('missing-authentication')]);
  });
});

it('an empty domain is the short domain', async () => {
  const headers = { 'x-api-key': key, authorization: `Bearer ${key}` };
  for (const [path, field, domain] of [
    ['/v4/shorten', 'long_url', null],
    ['/rest/v3/short-urls', 'longUrl', ''],
  ] as const) {
    const body = JSON.stringify({ [field]: newTarget(), domain });
    const { json } = await ask(path, { method: 'POST', headers, body });
    expect(json.link ?? json.shortUrl).toContain(base);
  }
});

it('these APIs exist only where they are turned on, and on the own host', async () => {
  const plain = await startServer();
  onTestFinished(() => plain.stop());
  const body = { targetUrl: 'https://example.com/', customSlug: 'rest' };
  expect((await plain.call('createUrl', { body })).status).toBe(201);
  for (const path of ['/yourls-api.php?action=version', '/v4/shorten', '/rest/v3/short-urls/x']) {
    expect((await fetch(plain.server.url + path)).status).toBe(404);
  }
});
