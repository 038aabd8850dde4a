import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AbuseRepository } from '../../src/abuse/abuse-repository.js';
import { createServer } from '../../src/create-server.js';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import { rowsWith } from '../storage/rows-with.js';
import { startServer, type TestServer } from './start-server.js';
import { type HostVisitOptions, visitHost } from './visit-host.js';

let api: TestServer;
beforeAll(async () => {
  api = await startServer({ trustedProxies: parseAddressRanges('127.0.0.1') });
});
afterAll(() => api.stop());
beforeEach(async () => {
  await api.server.database.writeDirectly((transaction) =>
    transaction.deleteFrom('abuse_reports').execute(),
  );
});

const html = { accept: 'text/html' };
let visitors = 0;
const newAddress = () => {
  visitors += 1;
  return `198.51.${visitors}.1`;
};

/** Sends the form as a browser does, which sends empty fields, too. */
function report(fields: object, { address = newAddress() } = {}) {
  const all = { comment: '', email: '', reason: 'phishing', ...fields };
  return api.visit('/report-abuse', {
    method: 'POST',
    headers: {
      ...html,
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': address,
    },
    body: new URLSearchParams(all as Record<string, string>).toString(),
  });
}

async function newUrl(fields: object = {}) {
  const body = { targetUrl: 'https://evil.example/login', ...fields };
  const { id } = (await api.call('createUrl', { body })).data;
  return (await api.call('getUrl', { params: { id } })).data;
}

const list = async (status: 'open' | 'resolved' = 'open') =>
  (await api.operator.call('listAbuseReports', { query: { status } })).data.items;
const resolve = (id: string | undefined, body: object) =>
  api.operator.call('resolveAbuseReport', { params: { id: id as string }, body });

describe('the form', () => {
  it('is accessible, loads nothing, and begins with the given URL', async () => {
    const shortUrl = 'https://sho.example/a"b<script>';
    const page = await api.visit(`/report-abuse?url=${encodeURIComponent(shortUrl)}`, {
      headers: html,
    });
    expect(page.status).toBe(200);
    expect(page.text).toContain('value="https://sho.example/a&quot;b&lt;script&gt;"');
    for (const name of ['url', 'reason', 'comment', 'email']) {
      expect(page.text).toContain(`<label for="${name}">`);
      expect(page.text).toContain(` id="${name}" name="${name}"`);
    }
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe-inline');
    expect(page.text).not.toMatch(/<script|\son\w+=/);
  });

  it('is on custom domains, too, which have no API', async () => {
    const hostname = 'go.abuse.example';
    const { id, txtRecord } = (await api.call('createDomain', { body: { hostname } })).data;
    api.zone.set(txtRecord.name, [txtRecord.value]);
    await api.call('verifyDomain', { params: { id } });
    const visit = (options?: HostVisitOptions) =>
      visitHost(api.server.url, hostname, '/report-abuse', options);
    expect((await visit()).text).toContain('<form');
    expect((await visitHost(api.server.url, hostname, '/api/v1/me')).status).toBe(404);
    for (const url of [`https://${hostname}/sale`, 'other']) {
      const body = JSON.stringify({ url, reason: 'spam' });
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': newAddress() };
      expect((await visit({ method: 'POST', headers, body })).status).toBe(200);
    }
    expect((await list()).map(({ shortUrl }) => shortUrl)).toEqual([
      `http://${hostname}/other`,
      `http://${hostname}/sale`,
    ]);
  });

  it('does not exist without an operator key', async () => {
    const server = createServer();
    onTestFinished(() => server.stop());
    await server.start();
    for (const method of ['GET', 'POST']) {
      expect((await fetch(`${server.url}/report-abuse`, { method })).status).toBe(404);
    }
  });
});

describe('a report', () => {
  it('gets the same response whether the link exists or not', async () => {
    const url = await newUrl({ customSlug: 'evil-form' });
    const missing = url.shortUrl.replace('evil-form', 'never-used');
    const responses = [await report({ url: url.shortUrl }), await report({ url: missing })];
    const [existing, unknown] = responses.map(({ status, text }) => ({ status, text }));
    expect(existing).toEqual(unknown);
    expect(existing?.text).toContain('The report was received');
    expect(await list()).toMatchObject([
      { shortUrl: missing, link: null },
      {
        shortUrl: url.shortUrl,
        reason: 'phishing',
        comment: null,
        email: null,
        resolvedAt: null,
        resolution: null,
        link: {
          id: url.id,
          organizationId: api.organizationId,
          targetUrl: 'https://evil.example/login',
          isActive: true,
          isTakenDown: false,
        },
      },
    ]);
  });

  it('may be JSON, with a comment and an address, and stores no address of the reporter', async () => {
    const url = await newUrl();
    const body = {
      url: url.shortUrl,
      reason: 'scam',
      comment: 'A fake\nshop',
      email: 'me@example.org',
    };
    const sent = await api.visit('/report-abuse', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.77' },
      body: JSON.stringify(body),
    });
    expect(sent.status).toBe(200);
    const [stored] = await list();
    expect(stored).toMatchObject({ reason: 'scam', comment: 'A fake shop', email: body.email });
    const read = await api.operator.call('getAbuseReport', {
      params: { id: stored?.id as string },
    });
    expect(read.data).toEqual(stored);
    expect(await rowsWith(api.server.database, '203.0.113')).toEqual([]);
  });

  it('that is repeated by an address changes nothing, until it is resolved', async () => {
    const url = await newUrl();
    const address = newAddress();
    const send = (from = address) => report({ url: url.shortUrl }, { address: from });
    await Promise.all([send(), send(), send()]);
    expect(await list()).toHaveLength(1);
    await send(newAddress());
    const open = await list();
    expect(open).toHaveLength(2);
    await resolve(open[0]?.id, { resolution: 'dismissed' });
    expect(await list()).toEqual([]);
    await send();
    expect(await list()).toHaveLength(1);
  });

  it('is limited to ten within ten minutes from an address, valid or not', async () => {
    const address = newAddress();
    for (let sent = 0; sent < 10; sent += 1) {
      const status = sent < 5 ? 200 : 400;
      const fields = sent < 5 ? { url: `code-${sent}` } : { url: '' };
      expect((await report(fields, { address })).status).toBe(status);
    }
    const refused = await report({ url: 'code-1' }, { address });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.text).toContain('<form');
    expect((await report({ url: 'code-1' })).status).toBe(200);
    api.clock.advance(60_000);
    expect((await report({ url: 'code-9' }, { address })).status).toBe(200);
  });

  it.each([
    [{ url: 'https://other-service.example/a-link' }, 'must be a short link of this service'],
    [{ url: 'no link' }, 'must be a short link of this service'],
    [{ url: 'https://sho.example/' }, 'must be a short link of this service'],
    [{ reason: '' }, 'must be one of phishing'],
    [{ reason: 'boring' }, 'must be one of phishing'],
    [{ email: 'nobody' }, 'must be an e-mail address'],
    [{ comment: 'x'.repeat(1_001) }, 'comment'],
    [{ url: 'x'.repeat(501) }, 'url'],
  ])('%j is refused, and the form has what was typed', async (fields, message) => {
    const given = { url: 'a-code', comment: 'my <comment>', ...fields };
    const refused = await report(given);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('role="alert"');
    expect(refused.text).toContain(message);
    if (!('comment' in fields)) expect(refused.text).toContain('my &lt;comment&gt;');
    expect(await list()).toEqual([]);
  });

  it('gets errors as JSON on request, and other methods and types are refused', async () => {
    const send = (method: string, type: string, body: string | null) =>
      api.visit('/report-abuse', {
        method,
        headers: {
          accept: 'application/json',
          'content-type': type,
          'x-forwarded-for': newAddress(),
        },
        body,
      });
    const json = 'application/json';
    expect((await send('POST', json, '{}')).outcome).toBe('400 VALIDATION_FAILED');
    expect((await send('POST', json, '{"url":')).outcome).toBe('400 VALIDATION_FAILED');
    expect((await send('POST', 'text/plain', 'a')).outcome).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect((await send('POST', json, 'x'.repeat(9_000))).outcome).toBe('413 PAYLOAD_TOO_LARGE');
    expect((await send('DELETE', json, null)).outcome).toBe('405 METHOD_NOT_ALLOWED');
  });
});

describe('the queue', () => {
  it('takes the link down for all open reports of its short URL, with its reason', async () => {
    const url = await newUrl();
    await report({ url: url.shortUrl, reason: 'malware' });
    await report({ url: url.shortUrl });
    const [newest, oldest] = await list();
    const resolved = await resolve(oldest?.id, { resolution: 'takenDown' });
    expect(resolved.data).toMatchObject({ resolution: 'takenDown', link: { isTakenDown: true } });
    expect((await api.visit(`/${url.shortCode}`, { headers: html })).status).toBe(451);
    const owner = await api.call('getUrl', { params: { id: url.id } });
    expect(owner.data.takenDown).toMatchObject({ reason: 'malware' });
    expect(await list()).toEqual([]);
    expect((await list('resolved')).map(({ id }) => id)).toEqual([newest?.id, oldest?.id]);
    const query = { resource: oldest?.id as string };
    const audit = await api.operator.call('listAllAuditEntries', { query });
    expect(audit.data.items).toMatchObject([
      { operation: 'resolveAbuseReport', resource: { type: 'abuseReport', id: oldest?.id } },
    ]);
  });

  it('dismisses without a change of the link, and can take it down later', async () => {
    const url = await newUrl();
    await report({ url: url.shortUrl });
    const [open] = await list();
    const dismissed = await resolve(open?.id, { resolution: 'dismissed' });
    expect(dismissed.data).toMatchObject({ resolution: 'dismissed', link: { isTakenDown: false } });
    expect((await api.visit(`/${url.shortCode}`)).status).toBe(307);
    const body = { resolution: 'takenDown', reason: 'malware after all' };
    expect((await resolve(open?.id, body)).status).toBe(200);
    expect((await api.visit(`/${url.shortCode}`)).status).toBe(451);
  });

  it('cannot take down a link that does not exist, and knows no other report', async () => {
    await report({ url: 'no-such-code' });
    const [open] = await list();
    const refused = await resolve(open?.id, { resolution: 'takenDown' });
    expect(refused.outcome).toBe('404 NOT_FOUND');
    expect(refused.error.message).toContain('dismiss the report');
    const missing = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';
    expect((await resolve(missing, { resolution: 'dismissed' })).outcome).toBe('404 NOT_FOUND');
    const read = await api.operator.call('getAbuseReport', { params: { id: missing } });
    expect(read.outcome).toBe('404 NOT_FOUND');
  });

  it('deletes resolved reports after 90 days, and open ones after a year', async () => {
    const { database } = api.server;
    const unused = { takeDownIn: () => Promise.reject(new Error('no takedown is expected')) };
    const reports = new AbuseRepository(database, unused);
    const { signal } = new AbortController();
    const day = 24 * 60 * 60_000;
    await report({ url: 'resolved-one' });
    await report({ url: 'open-one' });
    const resolved = (await list()).find(({ shortUrl }) => shortUrl.endsWith('resolved-one'));
    await resolve(resolved?.id, { resolution: 'dismissed' });
    const now = api.clock();
    expect(await reports.deleteOld(now + 89 * day, signal)).toBe(0);
    expect(await reports.deleteOld(now + 91 * day, signal)).toBe(1);
    expect(await list()).toHaveLength(1);
    expect(await reports.deleteOld(now + 366 * day, signal)).toBe(1);
  });
});
