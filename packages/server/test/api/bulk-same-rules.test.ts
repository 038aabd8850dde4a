import { describe, expect, it } from 'vitest';
import type { ErrorResponse } from '../../src/contract/errors.js';
import { startForFile } from './start-server.js';

const api = await startForFile();
const body = { targetUrl: 'https://example.com/' };
const id = (await api.createLink(body)).id;
await api.operator.call('blockHost', { body: { host: 'blocked.example', reason: 'phishing' } });

/** Returns the error of the first item of a bulk request, which has what the error of a single request has. */
function itemError(
  { error: { message, details } }: { error: ErrorResponse['error'] },
  code: string,
) {
  return { index: 0, externalId: null, error: message, message, details, code };
}

// Invalid fields of one link.
const invalid: [string, object][] = [
  ['targetUrl', { targetUrl: 'javascript:alert(1)' }],
  ['targetUrl', { targetUrl: null }],
  ['targetUrl', { targetUrl: `${api.server.url}/sale` }],
  ['targetUrl', { targetUrl: 'https://a.blocked.example/' }],
  ['rules[0].when.country[0]', { rules: [{ when: { country: 'XX' }, ...body }] }],
  ['expiresAt', { expiresAt: '2029-12-31T23:59:59Z' }],
  ['activatesAt', { activatesAt: '2031-01-02', expiresAt: '2031-01-01' }],
  ['domainId', { domainId: 'x' }],
  ['password', { isPasswordProtected: true }],
  ['isPasswordProtected', { password: 'open sesame' }],
  ['isPasswordProtected', { isPasswordProtected: false, password: 'open sesame' }],
  ['customUtmParams.', { customUtmParams: { '': 'c' } }],
  ['tilte', { tilte: 'x' }],
  ['title', { title: 1, tilte: 'x', redirectType: 0 }],
];

describe('POST /api/v1/urls/bulk and PUT: CREATE_FAILED, the error message gives details', () => {
  it.each(invalid)('%s of %j fails with the message of a single create', async (field, body) => {
    const item = { targetUrl: 'https://example.com/', ...body };
    const single = await api.call('createUrl', { body: item });
    const bulk = await api.call('bulkCreateUrls', { body: { urls: [item] } });
    const put = await api.call('upsertUrl', { params: { externalId: 'new' }, body: item });
    expect(put.error.details).toEqual(single.error.details);
    expect(single.outcome).toBe('400 VALIDATION_FAILED');
    expect(single.invalidFields).toContain(field);
    expect(bulk.data.errors).toEqual([itemError(single, 'CREATE_FAILED')]);
  });

  it.each([
    [{ customSlug: 'Dashboard' }, '400 SLUG_RESERVED', 'CREATE_FAILED'],
    [{ customSlug: 'taken-one' }, '409 SLUG_CONFLICT', 'SLUG_CONFLICT'],
    [{ importedCode: 'taken/code' }, '409 SLUG_CONFLICT', 'SLUG_CONFLICT'],
    [{ importedCode: 'docs/x' }, '400 SLUG_RESERVED', 'CREATE_FAILED'],
    [{ externalId: 'order-7' }, '409 EXTERNAL_ID_CONFLICT', 'CREATE_FAILED'],
  ])('%j fails with the message of a single create', async (name, outcome, code) => {
    const item = { targetUrl: 'https://example.com/', ...name };
    await api.call('createUrl', { body: item });
    const single = await api.call('createUrl', { body: item });
    const bulk = await api.call('bulkCreateUrls', { body: { urls: [item] } });
    expect(single.outcome).toBe(outcome);
    expect(single.invalidFields).toEqual(Object.keys(name));
    const { externalId = null } = item as { externalId?: string };
    expect(bulk.data.errors).toEqual([{ ...itemError(single, code), externalId }]);
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
      expect(bulk.data.errors).toEqual([{ ...itemError(single, 'UPDATE_FAILED'), id }]);
    },
  );
});
