import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { VisitFacts } from '../analytics/classify/describe-visit.js';
import type { DescribedVisit } from '../analytics/journal/visit-recorder.js';
import { noSettings } from '../domains/domain-repository.js';
import { createVisitorPages } from '../pages/visitor-pages.js';
import type { Link } from './link.js';
import { LinkCache } from './link-cache.js';
import { RedirectHandler, type RedirectHandlerOptions } from './redirect-handler.js';

const link: Link = {
  urlId: 1,
  isTakenDown: false,
  organizationId: 'o',
  excludedAddresses: undefined,
  shortCode: 'abcdefg',
  location: 'https://example.com/',
  status: 307,
  cacheControl: 'no-store',
  isActive: true,
  activatesAt: null,
  expiresAt: null,
  fallback: undefined,
  clickLimit: undefined,
  passwordHash: null,
  forwarding: undefined,
  variant: null,
  rules: undefined,
  preview: undefined,
  campaign: null,
};

const describeVisit = (request: IncomingMessage): DescribedVisit => ({
  request,
  visitedAt: 0,
  address: '192.0.2.1',
  query: '',
  facts: {} as VisitFacts,
});

/** Starts a server with two links: `good-link` works, and the target of `bad-link` is not a valid header. */
async function serve(options: Partial<RedirectHandlerOptions>) {
  const errors: { readonly error: unknown; readonly requestId: string }[] = [];
  const cache = new LinkCache({
    maxBytes: 10_000,
    load: async (_, key) => {
      if (key === 'good-link') return link;
      return key === 'bad-link' ? { ...link, location: 'https://example.com/\n' } : undefined;
    },
  });
  const handler = new RedirectHandler({
    cache,
    isReserved: () => false,
    urls: { hasKeysBelow: async () => false },
    origins: () => ({ scheme: 'https://', shortDomain: 'sho.example' }),
    findInfo: async () => undefined,
    hosts: { find: () => null, settingsOf: async () => noSettings },
    visits: () => ({
      describe: describeVisit,
      record: (_visit, _link, _target, respond) => setImmediate(respond, true),
    }),
    pagesFor: createVisitorPages({}),
    domainPages: { handle: () => false, findUrl: async () => undefined },
    maxClicks: { take: async () => true },
    passwords: { verify: async () => false },
    attempts: { take: async () => async () => {} },
    proxies: { includes: () => false },
    bodyTimeoutMs: 1_000,
    clock: Date.now,
    onResponse: () => {},
    onError: (error, requestId) => errors.push({ error, requestId }),
    ...options,
  });
  const server = createServer((request, response) => {
    if (!handler.handle(request, response)) response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const visit = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: 'manual',
      headers: { accept: 'application/json' },
    });
  return { visit, errors };
}

/** Expects a 500 with the request id that `onError` got. */
async function expectInternalError(
  response: Response,
  errors: readonly { readonly requestId: string }[],
) {
  expect(response.status).toBe(500);
  const { error } = (await response.json()) as { error: { code: string; requestId: string } };
  expect(error.code).toBe('INTERNAL');
  expect(response.headers.get('x-request-id')).toBe(error.requestId);
  expect(errors.map(({ requestId }) => requestId)).toEqual([error.requestId]);
}

it('RedirectHandler answers 503 when a visit that must be synced is not', async () => {
  const { visit } = await serve({
    visits: () => ({
      describe: describeVisit,
      record: (_visit, _link, _target, respond) => setImmediate(respond, false),
    }),
  });
  const response = await visit('/good-link');
  expect([response.status, response.headers.get('location')]).toEqual([503, null]);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('RedirectHandler answers 500 with a request id', () => {
  it('when the response throws once the visit is in the journal', async () => {
    const { visit, errors } = await serve({});
    await expectInternalError(await visit('/bad-link'), errors);
    expect((await visit('/good-link')).status).toBe(307);
  });

  it('and leaves no unhandled rejection when the path is not that of a link', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => {
      process.off('unhandledRejection', note);
    });
    const { visit } = await serve({
      hosts: {
        find: () => Promise.reject(new Error('no domain')),
        settingsOf: async () => noSettings,
      },
    });
    expect((await visit('/not%2Fa%2Flink')).status).toBe(404);
    expect((await visit('/not%2Fa%2Flink')).status).toBe(404);
    expect(rejections).toEqual([]);
  });
});
