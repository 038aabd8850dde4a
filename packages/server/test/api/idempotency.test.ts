import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.js';

const targetUrl = 'https://example.com/';
const dayMs = 24 * 60 * 60 * 1000;

let api: TestServer;
beforeAll(async () => {
  api = await startServer();
});
afterAll(() => api.stop());

let keys = 0;
const newKey = () => {
  keys += 1;
  return { 'idempotency-key': `key-${keys}` };
};
const create = (headers: Record<string, string>, body: object = {}) =>
  api.call('createUrl', { headers, body: { targetUrl, ...body } });
const countOfLinks = async () => (await api.call('listUrls')).data.total;

describe('Idempotency-Key', () => {
  it('the same key and body answer the first response again and do nothing twice', async () => {
    const key = newKey();
    const first = await create(key);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const before = await countOfLinks();
    api.clock.advance(1000);
    const second = await create(key);
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await countOfLinks()).toBe(before);
  });

  it('replays the first response even after the link has changed', async () => {
    const key = newKey();
    const first = await create(key);
    await api.call('updateUrl', {
      params: { id: first.data.id },
      body: { targetUrl: 'https://example.com/changed', isActive: false },
    });
    expect((await create(key)).text).toBe(first.text);
  });

  it('the same key with another body is a conflict', async () => {
    const key = newKey();
    await create(key);
    const answer = await create(key, { title: 'Another' });
    expect(answer.outcome).toBe('409 IDEMPOTENCY_CONFLICT');
  });

  it('the same key on another route is a conflict', async () => {
    const key = newKey();
    await create(key);
    const answer = await api.call('bulkCreateUrls', { headers: key, body: { urls: [{}] } });
    expect(answer.outcome).toBe('409 IDEMPOTENCY_CONFLICT');
  });

  it('of many at once one is done and the others are replays of it', async () => {
    const key = newKey();
    const before = await countOfLinks();
    const answers = await Promise.all(Array.from({ length: 16 }, () => create(key)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.has('idempotent-replayed'));
    expect(replayed).toHaveLength(15);
    expect(await countOfLinks()).toBe(before + 1);
  });

  it('of many at once with different bodies one is done', async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => create(key, { title: `${index}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
  });

  it('a key is remembered for 24 hours', async () => {
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

  it('belongs to the organization', async () => {
    const key = newKey();
    const first = await create(key);
    const other = await api.signIn(await api.createOrganization('free'));
    const answer = await other.call('createUrl', { headers: key, body: { targetUrl } });
    expect(answer.status).toBe(201);
    expect(answer.data.id).not.toBe(first.data.id);
  });

  it('replays a bulk create, failures included', async () => {
    const key = newKey();
    const body = { urls: [{ targetUrl, customSlug: 'replayed' }, { targetUrl: 'x' }, 7] };
    const first = await api.call('bulkCreateUrls', { headers: key, body });
    expect(first.data).toMatchObject({ createdCount: 1, failedCount: 2 });
    const second = await api.call('bulkCreateUrls', { headers: key, body });
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('replays a bulk create in which every item failed', async () => {
    const key = newKey();
    const body = { urls: [{ targetUrl: 'x' }] };
    const first = await api.call('bulkCreateUrls', { headers: key, body });
    const second = await api.call('bulkCreateUrls', { headers: key, body });
    expect([first.status, second.status]).toEqual([207, 207]);
    expect(second.text).toBe(first.text);
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

  it('does not hold a refused body against a mended one with a new key', async () => {
    const key = newKey();
    expect((await create(key, { title: 7 })).outcome).toBe('400 VALIDATION_FAILED');
    expect((await create(key)).status).toBe(201);
  });

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'ä', 'a\tb'])('refuses the key %j', async (key) => {
    const answer = await create({ 'idempotency-key': key });
    expect(answer.outcome).toBe('400 VALIDATION_FAILED');
    expect(answer.faultyFields).toEqual(['Idempotency-Key']);
  });

  it('takes a key of 255 visible characters', async () => {
    const key = { 'idempotency-key': '!~'.padEnd(255, 'x') };
    const first = await create(key);
    expect((await create(key)).data.id).toBe(first.data.id);
  });
});
