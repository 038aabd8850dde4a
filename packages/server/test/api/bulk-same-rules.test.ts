import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.js';

let api: TestServer;
let id: string;
beforeAll(async () => {
  api = await startServer();
  const body = { targetUrl: 'https://example.com/' };
  id = (await api.call('createUrl', { body })).data.id;
});
afterAll(() => api.stop());

// Invalid fields of one link.
const invalid: [string, object][] = [
  ['targetUrl', { targetUrl: 'javascript:alert(1)' }],
  ['targetUrl', { targetUrl: 1 }],
  ['targetUrl', { targetUrl: null }],
  ['title', { title: 'a\0b' }],
  ['title', { title: 'x'.repeat(501) }],
  ['tags', { tags: Array(21).fill('t') }],
  ['tags[1]', { tags: ['a', 2] }],
  ['redirectType', { redirectType: 303 }],
  ['expiresAt', { expiresAt: 'tomorrow' }],
  ['expiresAt', { expiresAt: '2029-12-31T23:59:59Z' }],
  ['domainId', { domainId: 'x' }],
  ['password', { isPasswordProtected: true }],
  ['isPasswordProtected', { password: 'open sesame' }],
  ['customUtmParams.', { customUtmParams: { '': 'c' } }],
  ['tilte', { tilte: 'x' }],
  ['title', { title: 1, tilte: 'x', redirectType: 0 }],
];

describe('POST /api/v1/urls/bulk: CREATE_FAILED, the error message gives details', () => {
  it.each(invalid)('%s of %j fails with the message of a single create', async (field, body) => {
    const item = { targetUrl: 'https://example.com/', ...body };
    const single = await api.call('createUrl', { body: item });
    const bulk = await api.call('bulkCreateUrls', { body: { urls: [item] } });
    expect(single.outcome).toBe('400 VALIDATION_FAILED');
    expect(single.invalidFields).toContain(field);
    expect(bulk.data.errors).toEqual([
      { index: 0, error: single.error.message, code: 'CREATE_FAILED' },
    ]);
  });

  it.each(['api', 'Dashboard', 'ADMIN'])(
    'the reserved slug %s fails with the message of a single create',
    async (customSlug) => {
      const item = { targetUrl: 'https://example.com/', customSlug };
      const single = await api.call('createUrl', { body: item });
      const bulk = await api.call('bulkCreateUrls', { body: { urls: [item] } });
      expect(single.outcome).toBe('400 SLUG_RESERVED');
      expect(bulk.data.errors).toEqual([
        { index: 0, error: single.error.message, code: 'CREATE_FAILED' },
      ]);
    },
  );

  it('a taken slug fails with SLUG_CONFLICT and the same message', async () => {
    const item = { targetUrl: 'https://example.com/', customSlug: 'taken-one' };
    await api.call('createUrl', { body: item });
    const single = await api.call('createUrl', { body: item });
    const bulk = await api.call('bulkCreateUrls', { body: { urls: [item] } });
    expect(single.outcome).toBe('409 SLUG_CONFLICT');
    expect(bulk.data.errors).toEqual([
      { index: 0, error: single.error.message, code: 'SLUG_CONFLICT' },
    ]);
  });
});

describe('PATCH /api/v1/urls/bulk: each item is validated against the single PATCH schema', () => {
  it.each([...invalid, ['customSlug', { customSlug: 'other' }] as [string, object]])(
    '%s of %j fails with the message of a single PATCH',
    async (field, patch) => {
      const single = await api.call('updateUrl', { params: { id }, body: patch });
      const bulk = await api.call('bulkUpdateUrls', { body: { updates: [{ id, ...patch }] } });
      expect(single.outcome).toBe('400 VALIDATION_FAILED');
      expect(single.invalidFields).toContain(field);
      expect(bulk.data.errors).toEqual([
        { index: 0, id, error: single.error.message, code: 'UPDATE_FAILED' },
      ]);
    },
  );

  it('accepts what a single PATCH accepts, with the same effect', async () => {
    const patch = {
      targetUrl: 'https://example.com/new',
      tags: ['a'],
      isPasswordProtected: true,
      password: 'open sesame',
      redirectType: 301,
      isActive: false,
    };
    const [one, two] = await Promise.all(
      [1, 2].map(async () => {
        const body = { targetUrl: 'https://example.com/' };
        return (await api.call('createUrl', { body })).data.id;
      }),
    );
    const single = await api.call('updateUrl', { params: { id: one as string }, body: patch });
    await api.call('bulkUpdateUrls', { body: { updates: [{ id: two, ...patch }] } });
    const other = await api.call('getUrl', { params: { id: two as string } });
    const { id: _one, shortCode: _code, shortUrl: _url, ...expected } = single.data;
    expect(other.data).toMatchObject(expected);
  });
});
