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
  ['targetUrl', { targetUrl: null }],
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

  it.each([
    ['Dashboard', '400 SLUG_RESERVED', 'CREATE_FAILED'],
    ['taken-one', '409 SLUG_CONFLICT', 'SLUG_CONFLICT'],
  ])('the slug %s fails with the message of a single create', async (customSlug, outcome, code) => {
    const item = { targetUrl: 'https://example.com/', customSlug };
    await api.call('createUrl', { body: item });
    const single = await api.call('createUrl', { body: item });
    const bulk = await api.call('bulkCreateUrls', { body: { urls: [item] } });
    expect(single.outcome).toBe(outcome);
    expect(bulk.data.errors).toEqual([{ index: 0, error: single.error.message, code }]);
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
});
