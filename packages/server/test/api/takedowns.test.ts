import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const api = await startForFile();

const browser = { headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 Firefox/128.0' } };

async function newUrl(fields: object = {}) {
  const body = { targetUrl: 'https://example.com/', ...fields };
  const { id } = await api.createLink(body);
  return await api.getLink(id);
}

const takeDown = (shortUrl: string, reason = 'phishing') =>
  api.operator.call('takeDownUrl', { body: { shortUrl, reason } });
const undo = (id: string) => api.operator.call('undoTakedown', { params: { id } });
const read = api.getLink;

describe('a takedown by the short URL', () => {
  it('answers visitors with 451, as a page or as JSON, until it is undone', async () => {
    const url = await newUrl({ customSlug: 'evil-slug' });
    expect((await api.visit('/evil-slug')).status).toBe(307);
    const taken = await takeDown(url.shortUrl);
    expect(taken.status).toBe(201);
    expect(taken.data).toEqual({
      id: url.id,
      organizationId: api.organizationId,
      shortUrl: url.shortUrl,
      targetUrl: 'https://example.com/',
      reason: 'phishing',
      createdAt: new Date(api.clock()).toISOString(),
    });
    for (const key of ['evil-slug', url.shortCode]) {
      const page = await api.visit(`/${key}`, browser);
      expect(page.status).toBe(451);
      expect(page.text).toContain('This link was taken down');
      // The reason is for the owner.
      expect(page.text).not.toContain('phishing');
      expect(page.headers.get('location')).toBeNull();
      const json = await api.visit(`/${key}`, { headers: { accept: 'application/json' } });
      expect(json.outcome).toBe('451 TAKEN_DOWN');
    }
    expect((await undo(url.id)).data).toEqual(taken.data);
    expect((await api.visit('/evil-slug')).status).toBe(307);
    expect((await undo(url.id)).outcome).toBe('404 NOT_FOUND');
  });

  it('shows its owner the reason, who cannot undo it', async () => {
    const url = await newUrl();
    await takeDown(url.shortCode);
    const takenDown = { at: new Date(api.clock()).toISOString(), reason: 'phishing' };
    expect((await read(url.id)).takenDown).toEqual(takenDown);
    const list = await api.call('listUrls', { query: { view: 'full', limit: 1 } });
    expect(list.data.items[0]).toMatchObject({ id: url.id, takenDown });
    const params = { id: url.id };
    const changes = { targetUrl: 'https://example.com/other', isActive: false };
    await api.call('updateUrl', { params, body: changes });
    await api.call('updateUrl', { params, body: { isActive: true } });
    const refused = await api.call('updateUrl', { params, body: { takenDown: null } });
    expect(refused.outcome).toBe('400 VALIDATION_FAILED');
    await api.call('deleteUrl', { params });
    expect((await read(url.id)).takenDown).toEqual(takenDown);
    expect((await api.visit(`/${url.shortCode}`)).status).toBe(451);
  });

  it('of a link with a password answers 451 to the form and to the password', async () => {
    const url = await newUrl({ isPasswordProtected: true, password: 'open sesame' });
    await takeDown(url.shortUrl);
    expect((await api.visit(`/${url.shortCode}`)).status).toBe(451);
    const unlock = await api.visit(`/${url.shortCode}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'open sesame' }),
    });
    expect(unlock.status).toBe(451);
  });

  it('of a link on a custom domain needs its hostname', async () => {
    const hostname = 'go.takedown.example';
    const { id } = await api.addDomain(hostname);
    const url = await newUrl({ domainId: id, customSlug: 'on-domain' });
    expect((await takeDown('on-domain')).outcome).toBe('404 NOT_FOUND');
    expect((await takeDown('https://unknown.example/on-domain')).outcome).toBe('404 NOT_FOUND');
    expect((await takeDown(`https://${hostname}/on-domain`)).data.id).toBe(url.id);
  });

  it('sends url.updated to the owner', async () => {
    const url = await newUrl();
    await takeDown(url.shortUrl, 'malware');
    const { items } = (await api.call('listEvents', { query: { type: 'url.updated' } })).data;
    expect(items.at(-1)?.data).toMatchObject({
      id: url.id,
      takenDown: { reason: 'malware' },
    });
  });

  it('that is repeated changes the reason and keeps the time', async () => {
    const url = await newUrl();
    const first = await takeDown(url.shortUrl);
    api.clock.advance(1);
    const second = await takeDown(url.shortUrl, 'malware');
    expect(second.data).toEqual({ ...first.data, reason: 'malware' });
  });

  it('is listed, newest first, page by page', async () => {
    const [one, other] = [await newUrl(), await newUrl()];
    api.clock.advance(1);
    await takeDown(other.shortUrl);
    api.clock.advance(1);
    await takeDown(one.shortUrl);
    const page = (await api.operator.call('listTakedowns', { query: { limit: 1 } })).data;
    expect(page.items).toMatchObject([{ id: one.id }]);
    const query = { limit: 1, after: page.nextAfter as string };
    const next = (await api.operator.call('listTakedowns', { query })).data;
    expect(next.items).toMatchObject([{ id: other.id }]);
  });

  it('of a text that is no short URL names the text and the rule', async () => {
    const refused = await takeDown('hxxps://sho[.]example/sale');
    expect(refused.text).toContain(
      'shortUrl \\"hxxps://sho[.]example/sale\\" must be a short URL, such as https://sho.example/sale',
    );
  });
});

describe('a blocked host', () => {
  const block = (host: string, reason = 'phishing') =>
    api.operator.call('blockHost', { body: { host, reason } });
  const unblock = (host: string) =>
    api.operator.call('unblockHost', { params: { host: encodeURIComponent(host) } });

  it('is refused as a target, with field, value and rule', async () => {
    expect((await block('Evil.Example.')).data).toEqual({
      host: 'evil.example',
      reason: 'phishing',
      createdAt: new Date(api.clock()).toISOString(),
    });
    const { id } = await newUrl();
    const bad = 'https://LOGIN.evil.example./x';
    const rule = `${bad} must not lead to evil.example, which the operator of this server has blocked`;
    const created = await api.call('createUrl', { body: { targetUrl: bad } });
    const updated = await api.call('updateUrl', { params: { id }, body: { targetUrl: bad } });
    for (const refused of [created, updated]) {
      expect(refused.outcome).toBe('400 VALIDATION_FAILED');
      expect(refused.error.details).toEqual([{ path: 'targetUrl', message: rule }]);
    }
    const good = 'https://notevil.example/';
    const variants = [good, bad].map((targetUrl) => ({ targetUrl, weight: 1 }));
    for (const [path, fields] of [
      ['expiredUrl', { expiredUrl: bad }],
      ['rules[0].variants[1].targetUrl', { rules: [{ when: {}, variants }] }],
    ] as const) {
      const refused = await api.call('createUrl', { body: { targetUrl: good, ...fields } });
      expect(refused.error.details).toEqual([{ path, message: rule }]);
    }
    const hostname = 'go.blocked.example';
    const domain = (await api.call('createDomain', { body: { hostname } })).data;
    const settings = { params: { id: domain.id }, body: { notFoundUrl: bad } };
    const domainUpdate = await api.call('updateDomain', settings);
    expect(domainUpdate.error.details).toMatchObject([{ path: 'notFoundUrl' }]);
    await unblock('evil.example');
    expect((await api.call('createUrl', { body: { targetUrl: bad } })).status).toBe(201);
  });

  it('stops existing links at once, until it is unblocked', async () => {
    const url = await newUrl({ targetUrl: 'https://a.b.later.example/' });
    const other = await newUrl();
    const status = async ({ shortCode }: { shortCode: string }) =>
      (await api.visit(`/${shortCode}`)).status;
    expect([await status(url), await status(other)]).toEqual([307, 307]);
    await block('later.example');
    expect([await status(url), await status(other)]).toEqual([451, 307]);
    // Only the host is blocked, so the link itself is not taken down.
    expect((await read(url.id)).takenDown).toBeNull();
    expect((await unblock('later.example')).status).toBe(200);
    expect(await status(url)).toBe(307);
    expect((await unblock('later.example')).outcome).toBe('404 NOT_FOUND');
  });
});
