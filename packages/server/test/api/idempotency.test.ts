import { describe, expect, it } from 'vitest';
import { startForFile } from './start-server.js';

const targetUrl = 'https://example.com/';
const dayMs = 24 * 60 * 60 * 1000;

const api = await startForFile();

let keys = 0;
const newKey = () => {
  keys += 1;
  return { 'idempotency-key': `key-${keys}` };
};
const create = (headers: Record<string, string>, body: object = {}) =>
  api.call('createUrl', { headers, body: { targetUrl, ...body } });
const countOfLinks = async () => (await api.call('listUrls')).data.total;

describe('Idempotency-Key', () => {
  it('replays the first response even after the link has changed', async () => {
    const key = newKey();
    const first = await create(key);
    await api.call('updateUrl', {
      params: { id: first.data.id },
      body: { targetUrl: 'https://example.com/changed', isActive: false },
    });
    expect((await create(key)).text).toBe(first.text);
  });

  it('one of many concurrent requests takes effect, and the others replay its response', async () => {
    const key = newKey();
    const before = await countOfLinks();
    const responses = await Promise.all(Array.from({ length: 16 }, () => create(key)));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const replayed = responses.filter(({ headers }) => headers.has('idempotent-replayed'));
    expect(replayed).toHaveLength(15);
    expect(await countOfLinks()).toBe(before + 1);
  });

  it('a key expires after 24 hours', async () => {
    const key = newKey();
    const first = await create(key);
    api.clock.advance(dayMs - 1);
    const caller = await api.signIn(api.credentials);
    const again = () => caller.call('createUrl', { headers: key, body: { targetUrl } });
    expect((await again()).data.id).toBe(first.data.id);
    api.clock.advance(1);
    const fresh = await api.signIn(api.credentials);
    const later = await fresh.call('createUrl', { headers: key, body: { targetUrl } });
    expect(later.data.id).not.toBe(first.data.id);
    expect(later.headers.has('idempotent-replayed')).toBe(false);
    Object.assign(api, fresh);
  });

  it.each([
    ['a reserved word', { customSlug: 'api' }],
    ['a password without protection', { password: 'open sesame' }],
    ['a time in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
  ])('is free after a refusal for %s', async (_name, wrong) => {
    const key = newKey();
    expect((await create(key, wrong)).status).toBe(400);
    expect((await create(key)).status).toBe(201);
  });

  it('is scoped to the organization', async () => {
    const key = newKey();
    const first = await create(key);
    const other = await api.newcomer('free');
    const response = await other.call('createUrl', { headers: key, body: { targetUrl } });
    expect(response.status).toBe(201);
    expect(response.data.id).not.toBe(first.data.id);
  });

  it('replays a slug conflict, and says that it is a replay', async () => {
    await create({}, { customSlug: 'conflicted' });
    const key = newKey();
    const first = await create(key, { customSlug: 'conflicted' });
    const second = await create(key, { customSlug: 'conflicted' });
    expect([first.outcome, second.outcome]).toEqual(['409 SLUG_CONFLICT', '409 SLUG_CONFLICT']);
    expect(second.error.message).toBe(first.error.message);
    expect(first.headers.has('idempotent-replayed')).toBe(false);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('replays a link whose expiresAt has passed since', async () => {
    const key = newKey();
    const body = { expiresAt: new Date(api.clock() + 1000).toISOString() };
    const first = await create(key, body);
    api.clock.advance(1000);
    expect((await create(key, body)).text).toBe(first.text);
    expect((await create(newKey(), body)).outcome).toBe('400 VALIDATION_FAILED');
  });
});
