import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const targetUrl = 'https://example.com/';
const expiredUrl = 'https://example.com/over?a=1#b';
const minuteMs = 60_000;

const api = await startForFile();

const isoIn = (ms: number) => new Date(api.clock() + ms).toISOString();
const create = api.createLink;
const get = api.getLink;
const patch = (id: string, body: object) => api.call('updateUrl', { params: { id }, body });
const remove = async (id: string) => (await api.call('deleteUrl', { params: { id } })).data;
const restore = (id: string) => api.call('restoreUrl', { params: { id } });

/** Returns the status of a visit and where it leads. */
async function visit(path: string, method = 'GET'): Promise<string> {
  const { status, headers } = await api.visit(`/${path}`, { method });
  return `${status} ${headers.get('location')}`;
}

describe('activatesAt', () => {
  it('answers visits before it as those of an unknown link, also with a password', async () => {
    const accept = (type: string) => ({
      headers: { accept: type, 'x-request-id': 'same-for-both' },
    });
    const links = [
      await create({ activatesAt: isoIn(minuteMs), password: 'sesame', isPasswordProtected: true }),
      await create({ activatesAt: isoIn(minuteMs), isActive: false }),
    ];
    for (const { shortCode } of links) {
      for (const type of ['text/html', 'application/json']) {
        const early = await api.visit(`/${shortCode}`, accept(type));
        const unknown = await api.visit('/no-such-link', accept(type));
        expect([early.status, early.text]).toEqual([404, unknown.text]);
      }
    }
  });

  it('redirects from that instant on, without another request', async () => {
    const { id, shortCode } = await create({ activatesAt: isoIn(minuteMs) });
    expect((await get(id)).isActive).toBe(true);
    api.clock.advance(minuteMs - 1);
    expect(await visit(shortCode)).toBe('404 null');
    api.clock.advance(1);
    expect(await visit(shortCode)).toBe(`307 ${targetUrl}`);
    expect((await get(id)).clickCount).toBe(0);
  });

  it('must be before expiresAt, at create and after a PATCH', async () => {
    const [sooner, later] = [isoIn(minuteMs), isoIn(2 * minuteMs)];
    for (const activatesAt of [sooner, later]) {
      const created = await api.call('createUrl', {
        body: { targetUrl, activatesAt, expiresAt: sooner },
      });
      expect(created.outcome).toBe('400 VALIDATION_FAILED');
      expect(created.error.message).toContain(': it must be before expiresAt');
    }
    const { id } = await create({ activatesAt: sooner, expiresAt: later });
    expect((await patch(id, { activatesAt: later })).invalidFields).toEqual(['activatesAt']);
    expect((await patch(id, { expiresAt: sooner })).invalidFields).toEqual(['activatesAt']);
    expect((await patch(id, { activatesAt: null, expiresAt: sooner })).status).toBe(200);
  });
});

describe('expiredUrl', () => {
  it('gets visitors of an expired link, uncounted and uncached, before and after the sweep', async () => {
    const { id, shortCode } = await create({ expiresAt: isoIn(minuteMs), expiredUrl });
    expect(await visit(shortCode)).toBe(`307 ${targetUrl}`);
    api.clock.advance(minuteMs);
    for (const step of ['due', 'expired']) {
      const response = await api.visit(`/${shortCode}`);
      expect([response.status, response.headers.get('location')], step).toEqual([302, expiredUrl]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.text).toBe('');
      await api.server.expireUrls();
    }
    expect(await visit(shortCode, 'HEAD')).toBe(`302 ${expiredUrl}`);
    expect(await get(id)).toMatchObject({ isActive: false, deletedAt: null, expiredUrl });
    await patch(id, { expiredUrl: null });
    expect(await visit(shortCode)).toBe('410 null');
  });

  it('does not get those of a link that is paused, deleted or taken down', async () => {
    const links = [await create({ expiredUrl }), await create({ expiredUrl, expiresAt: isoIn(1) })];
    const [paused, expired] = links.map(({ id, shortCode }) => ({ id, shortCode }));
    if (!paused || !expired) throw new Error('no links');
    await patch(paused.id, { isActive: false });
    expect(await visit(paused.shortCode)).toBe('410 null');
    api.clock.advance(1);
    expect(await visit(expired.shortCode)).toBe(`302 ${expiredUrl}`);
    await remove(expired.id);
    expect(await visit(expired.shortCode)).toBe('410 null');
    const shortUrl = `${api.server.url}/${expired.shortCode}`;
    await api.operator.call('takeDownUrl', { body: { shortUrl, reason: 'phishing' } });
    expect(await visit(expired.shortCode)).toBe('451 null');
  });

  it('does not lead to a host once it is blocked', async () => {
    const { shortCode } = await create({
      expiresAt: isoIn(minuteMs),
      expiredUrl: 'https://a.blocked.example/x',
    });
    api.clock.advance(minuteMs);
    expect(await visit(shortCode)).toBe('302 https://a.blocked.example/x');
    await api.operator.call('blockHost', { body: { host: 'blocked.example', reason: 'spam' } });
    expect(await visit(shortCode)).toBe('410 null');
  });
});

describe('deletedAt', () => {
  it('is set by DELETE, alone and in bulk, and not by a pause', async () => {
    const [one, two, three] = [await create(), await create(), await create()];
    const deletedAt = new Date(api.clock()).toISOString();
    expect(await remove(one.id)).toMatchObject({ isActive: false, deletedAt });
    await api.call('bulkDeleteUrls', { query: { ids: two.id } });
    await patch(three.id, { isActive: false });
    expect(await get(two.id)).toMatchObject({ isActive: false, deletedAt });
    expect(await get(three.id)).toMatchObject({ isActive: false, deletedAt: null });
    api.clock.advance(5);
    expect((await remove(one.id)).deletedAt).toBe(deletedAt);
    expect(await remove(three.id)).toMatchObject({ deletedAt: isoIn(0), updatedAt: isoIn(0) });
  });

  it('is null again after a restore or a PATCH of isActive, which are the same', async () => {
    const [one, two] = [await create(), await create()];
    for (const { id } of [one, two]) await remove(id);
    api.clock.advance(5);
    const restored = await restore(one.id);
    expect(restored.status).toBe(200);
    expect(restored.data).toMatchObject({ isActive: true, deletedAt: null, updatedAt: isoIn(0) });
    expect(restored.headers.get('etag')).not.toBeNull();
    const patched = (await patch(two.id, { isActive: true })).data;
    const { id, shortCode, shortUrl } = restored.data;
    expect(restored.data).toEqual({ ...patched, id, shortCode, shortUrl });
    expect((await restore(one.id)).data).toEqual(restored.data);
    expect(await visit(one.shortCode)).toBe(`307 ${targetUrl}`);
  });

  it('a restore of an expired or unknown link fails', async () => {
    const { id } = await create({ expiresAt: isoIn(1) });
    await remove(id);
    api.clock.advance(1);
    const response = await restore(id);
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.error.message).toContain('expiresAt has passed');
    expect((await restore('999999')).outcome).toBe('404 NOT_FOUND');
  });

  it('hides links in lists, unless a filter asks for them', async () => {
    const owner = await api.newcomer('developer');
    const make = async () => (await owner.createLink()).id;
    const [active, paused, deleted] = [await make(), await make(), await make()];
    await owner.call('updateUrl', { params: { id: paused }, body: { isActive: false } });
    await owner.call('deleteUrl', { params: { id: deleted } });
    const list = async (query: Record<string, boolean>) =>
      (await owner.call('listUrls', { query })).data.items.map(({ id }) => id).sort();
    expect(await list({})).toEqual([active, paused].sort());
    expect(await list({ isActive: false })).toEqual([paused, deleted].sort());
    expect(await list({ isDeleted: true })).toEqual([deleted]);
    expect(await list({ isDeleted: false })).toEqual([active, paused].sort());
    expect(await list({ isDeleted: false, isActive: false })).toEqual([paused]);
  });
});
