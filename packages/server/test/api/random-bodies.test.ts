import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.js';

let api: TestServer;
let id: string;
beforeAll(async () => {
  api = await startServer();
  id = (await api.call('createUrl', { body: { targetUrl: 'https://example.com/' } })).data.id;
});
afterAll(() => api.stop());

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '\u0000', '\ud800', 'javascript:1', 1e308, -0, '__proto__', 'a'.repeat(9000)),
);
const valid = {
  targetUrl: fc.webUrl({ withQueryParameters: true, withFragments: true }),
  customSlug: fc.stringMatching(/^[a-z0-9][a-z0-9-]{5,20}[a-z0-9]$/),
  title: fc.string({ unit: 'grapheme', maxLength: 50 }),
  tags: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 9 }), { maxLength: 5 }),
  redirectType: fc.constantFrom(301, 302, 307, 308),
  expiresAt: fc
    .date({ min: new Date(0), max: new Date('9998-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  isPasswordProtected: fc.boolean(),
  utmSource: fc.string({ unit: 'grapheme', maxLength: 20 }),
  customUtmParams: fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 })),
  isActive: fc.boolean(),
};
const body = fc
  .record(
    Object.fromEntries(
      Object.entries(valid).map(([field, value]) => [
        field,
        fc.oneof({ weight: 9, arbitrary: value as fc.Arbitrary<unknown> }, anything),
      ]),
    ),
    { requiredKeys: [] },
  )
  .chain((fields) =>
    fc
      .dictionary(fc.string({ maxLength: 8 }), anything, { maxKeys: 1 })
      .map((extra): unknown => ({ ...fields, ...extra })),
  );
const anyBody = fc.oneof({ weight: 9, arbitrary: body }, anything);

// The contract is held against each answer on the way; what is left to say is said here.
const expectClearAnswer = (answer: { status: number; text: string }) => {
  expect(answer.status).toBeLessThan(500);
  expect(JSON.parse(answer.text)).toHaveProperty('success', answer.status < 300);
};

describe('whatever the body, the answer is clear and never a 5xx', () => {
  it('POST /api/v1/urls, and the link leads where it says', async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, async (sent) => {
        const answer = await api.call('createUrl', { body: sent });
        expectClearAnswer(answer);
        if (answer.status === 201) {
          const { targetUrl, shortCode } = answer.data;
          expect(targetUrl).toBe((sent as { targetUrl: string }).targetUrl);
          const { status } = await api.visit(`/${shortCode}`);
          if ((sent as { isActive?: unknown }).isActive === false) expect(status).toBe(410);
          else expect(status).toBeLessThan(400);
        } else if (answer.error.code === 'VALIDATION_FAILED') {
          expect(answer.invalidFields.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('POST and PATCH /api/v1/urls/bulk: every item is accounted for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyBody, { minLength: 1, maxLength: 8 }), async (items) => {
        const created = await api.call('bulkCreateUrls', { body: { urls: items } });
        const { created: made, errors } = created.data;
        const indexes = [...made, ...errors].map(({ index }) => index).sort((a, b) => a - b);
        expect(indexes).toEqual(items.map((_, index) => index));
        const updates = items.map((item) => ({ ...(item as object), id }));
        const updated = await api.call('bulkUpdateUrls', { body: { updates } });
        expect(updated.data.updatedCount + updated.data.failedCount).toBe(items.length);
      }),
      { numRuns: 40 },
    );
  });

  it('any path, method and query', async () => {
    const segment = fc.oneof(
      fc.constantFrom('api', 'v1', 'urls', 'bulk', 'auth', 'token', 'usage', id, 'health'),
      fc.string({ unit: 'binary', maxLength: 10 }).map((text) => {
        return text.isWellFormed() ? encodeURIComponent(text).replace(/^\.+$/, 'dots') : '%zz';
      }),
    );
    const path = fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`);
    const query = fc.dictionary(fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 }));
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
    await fc.assert(
      fc.asyncProperty(path, query, method, async (where, search, how) => {
        const answer = await api.send(how, `${where}?${new URLSearchParams(search)}`);
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  });
});
