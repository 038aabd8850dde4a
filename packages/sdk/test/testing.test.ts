import { describe, expect, it } from 'vitest';
import { faultsOf, operations } from '../../server/test/contract/openapi-document.js';
import { Shorty } from '../src/index.js';
import { fail, fixtures, handlers, respond } from '../src/testing.js';
import { mockApi } from './mock-api.js';

const baseUrl = 'https://sho.test/shorty';
const server = mockApi(...handlers({ baseUrl }));

const shorty = new Shorty({ baseUrl, clientId: 'x', clientSecret: 'x', maxRetries: 0 });
const ofApi = operations.filter(
  ({ path, operationId }) => path.startsWith('/api/') && operationId !== 'readWebhookStream',
);
const uuid = fixtures.createQr.id;

/** Their results have an entry for each item, here one that equals the fixture's. */
const bodies: Readonly<Record<string, object>> = {
  bulkCreateUrls: {
    urls: fixtures.bulkCreateUrls.created.map(({ targetUrl, customSlug }) => ({
      targetUrl,
      customSlug,
    })),
  },
  bulkUpdateUrls: { updates: [{ id: '42' }] },
  bulkDeleteUrls: { ids: ['42'] },
};

/** Calls an operation of openapi.yaml. */
async function call({ method, path, operationId }: (typeof operations)[number]) {
  const id = path.startsWith('/api/v1/urls') ? '42' : uuid;
  const url = baseUrl + path.replaceAll(/\{\w+\}/g, id);
  const body = bodies[operationId];
  const response = await fetch(url, {
    method: method.toUpperCase(),
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the handlers', () => {
  it.each(ofApi.map((operation) => [operation.operationId, operation] as const))(
    'answer %s as openapi.yaml says',
    async (operationId, operation) => {
      const response = await call(operation);
      // The handlers send no other headers, such as ETag.
      const faults = faultsOf(operation, response).filter((each) => !each.endsWith(' is missing'));
      expect(faults).toEqual([]);
      expect(response.headers.get('x-request-id')).toBe('test');
      if (operationId === 'downloadQr') return;
      const { data } = JSON.parse(response.text);
      if (operationId !== 'bulkCreateUrls') expect(data).toEqual(fixtures[operationId as 'getUrl']);
    },
  );

  it('serve the client, with its token', async () => {
    const { id } = await shorty.urls.create({ targetUrl: 'https://example.com' });
    expect(id).toBe(fixtures.createUrl.id);
    expect(await shorty.urls.list().toArray()).toEqual(fixtures.listUrls.items);
    const targets = Array.from({ length: 150 }, (_, at) => `https://example.com/${at}`);
    const { created } = await shorty.urls.bulkCreate(targets.map((targetUrl) => ({ targetUrl })));
    expect(created.map(({ targetUrl }) => targetUrl)).toEqual(targets);
    const [slugged] = (
      await shorty.urls.bulkCreate([{ targetUrl: 'https://example.com', customSlug: 'sale' }])
    ).created;
    expect(slugged).toEqual({
      ...{ index: 0, id: '1', shortCode: '0000001', externalId: null },
      ...{ targetUrl: 'https://example.com', customSlug: 'sale' },
      shortUrl: 'https://sho.example/sale',
    });
    const changed = await shorty.urls.bulkUpdate([{ id: 7, isActive: false }, { id: '9' }]);
    expect(changed.updated.map(({ id }) => id)).toEqual(['7', '9']);
    expect((await shorty.urls.bulkDelete([7, '9'])).deletedIds).toEqual(['7', '9']);
    expect(await shorty.urls.lookup('https://sho.example/spring-sale')).toEqual(fixtures.lookupUrl);
    expect((await shorty.qr.download(uuid)).contentType).toBe('image/png');
  });
});

describe('a replaced handler', () => {
  it('answers with the given fields, and leaves other operations alone', async () => {
    server.use(
      respond('getUrl', { title: 'Spring' }),
      respond('listUrls', { items: [], total: 0 }),
    );
    expect(await shorty.urls.get('42')).toEqual({ ...fixtures.getUrl, title: 'Spring' });
    expect((await shorty.urls.lookup('https://sho.example/x')).title).toBe(
      fixtures.lookupUrl.title,
    );
    expect(await shorty.urls.list().toArray()).toEqual([]);
  });

  it.each([
    ['SLUG_CONFLICT', 'ConflictError', 409],
    [429, 'RateLimitError', 429],
    ['UNAVAILABLE', 'ServerError', 503],
    [412, 'ConflictError', 412],
  ] as const)('fails with %s', async (error, name, status) => {
    server.use(fail('createUrl', error));
    const code = typeof error === 'string' ? error : expect.any(String);
    await expect(shorty.urls.create({ targetUrl: 'https://example.com' })).rejects.toMatchObject({
      name,
      status,
      code,
      requestId: 'test',
    });
    await shorty.urls.get('42');
  });

  it('answers what a function returns for the request', async () => {
    server.use(
      respond('createUrl', async (request) => {
        const { targetUrl } = await request.json();
        return { targetUrl };
      }),
    );
    const targetUrl = 'https://example.com/new';
    expect(await shorty.urls.create({ targetUrl })).toEqual({ ...fixtures.createUrl, targetUrl });
  });

  it('answers one host only if there is a base URL', async () => {
    const elsewhere = new Shorty({ baseUrl: 'https://other.test', apiKey: 'x', maxRetries: 0 });
    await expect(elsewhere.urls.get('42')).rejects.toThrow();
    server.use(respond('getUrl'));
    expect((await elsewhere.urls.get('42')).id).toBe('42');
  });
});

it.each([
  [() => respond('getUrll' as 'getUrl'), 'getUrll is not an option: did you mean getUrl?'],
  [() => fail('crateUrl' as 'createUrl', 409), 'did you mean createUrl?'],
  [() => handlers({ baseURL: 'x' } as object), 'did you mean baseUrl?'],
])('refuses a misspelt name: %s', (create, message) => expect(create).toThrow(message));
