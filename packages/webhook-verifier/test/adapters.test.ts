import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import fastify from 'fastify';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as ofExpress from '../src/adapters/express.js';
import * as ofFastify from '../src/adapters/fastify.js';
import * as ofHono from '../src/adapters/hono.js';
import { EVENT, runElsewhere, SECRET, sample } from './sample.js';

const secret = SECRET;
const fresh = () => sample({ now: new Date() });
const post = (init: RequestInit): RequestInit => ({ method: 'POST', ...init });

/** A real server, whose verified route has these handlers before it. */
async function serveExpress(...before: RequestHandler[]) {
  const errors: unknown[] = [];
  const app = express().set('env', 'test');
  app.post('/hook', ...before, ofExpress.expressWebhook({ secret }), (req, res) => {
    res.json(ofExpress.webhookDelivery(req));
  });
  app.post('/bare', (req, res) => res.json(ofExpress.webhookDelivery(req)));
  app.post('/busy', () => runElsewhere());
  const note: ErrorRequestHandler = (error, _req, _res, next) => {
    errors.push(error);
    next(error);
  };
  app.use(note);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const send = (init: RequestInit, path = '/hook') =>
    fetch(`http://127.0.0.1:${port}${path}`, post(init));
  return { send, errors };
}

async function serveFastify(options: { maxBodyBytes?: number } = {}) {
  const errors: unknown[] = [];
  const app = fastify({ forceCloseConnections: true });
  app.addHook('onError', async (_request, _reply, error) => void errors.push(error));
  app.register(async (hooks) => {
    hooks.register(ofFastify.fastifyWebhook({ secret, ...options }));
    hooks.post('/hook', async (request) => ofFastify.webhookDelivery(request));
    hooks.register(async (parsing) => {
      const parse = async (_request: unknown, body: unknown) => JSON.parse(String(body));
      parsing.addContentTypeParser('application/json', { parseAs: 'string' }, parse);
      parsing.post('/parsed', async (request) => ofFastify.webhookDelivery(request));
    });
  });
  app.post('/other', async (request) => ({ body: request.body }));
  app.post('/busy', runElsewhere);
  const address = await app.listen({ port: 0 });
  onTestFinished(() => app.close());
  return { send: (init: RequestInit, path = '/hook') => fetch(address + path, post(init)), errors };
}

function serveHono(...before: MiddlewareHandler[]) {
  const errors: unknown[] = [];
  const app = new Hono();
  for (const middleware of before) app.use(middleware);
  app.post('/hook', ofHono.honoWebhook({ secret }), async (c) =>
    c.json({ ...ofHono.webhookDelivery(c), again: await c.req.json() }),
  );
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    errors.push(error);
    return c.text('fault', 500);
  });
  return { send: async (init: RequestInit) => app.request('/hook', post(init)), errors };
}

/** Reads the body before the adapter. */
const readBefore =
  (as: 'json' | 'arrayBuffer'): MiddlewareHandler =>
  async (c, next) => {
    await c.req[as]();
    await next();
  };

const raw = express.raw({ type: () => true });
const parsed = expect.objectContaining({ code: 'body_already_parsed' });

describe.each([
  ['expressWebhook', () => serveExpress(raw), {}],
  ['fastifyWebhook', () => serveFastify(), {}],
  // The handler can still read the body.
  ['honoWebhook', async () => serveHono(), { again: EVENT }],
])('%s', (name, serve, more) => {
  it('passes a verified delivery to the handler', async () => {
    const { send, errors } = await serve();
    const response = await send(fresh());
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ event: EVENT, deliveryId: 'delivery-1', ...more });
    expect(errors).toEqual([]);
  });

  it.each<[string, () => RequestInit, string]>([
    ['another body', () => ({ ...fresh(), body: '{}' }), 'signature_mismatch'],
    ['nothing at all', () => ({}), 'missing_header'],
  ])('responds to %s with 401', async (_name, init, code) => {
    const { send, errors } = await serve();
    const response = await send(init());
    expect(response.status).toBe(401);
    const message = expect.any(String);
    const isFastify = name === 'fastifyWebhook';
    expect(await response.json()).toEqual(
      isFastify
        ? { statusCode: 401, code, error: 'Unauthorized', message }
        : { error: { code, message } },
    );
    expect(errors).toHaveLength(isFastify ? 1 : 0);
  });
});

it.each([
  ['express.json()', () => serveExpress(express.json()), '/hook'],
  ['a parser of an inner scope of Fastify', () => serveFastify(), '/parsed'],
  ['middleware of Hono', async () => serveHono(readBefore('json')), '/hook'],
])('a body that %s consumed is an error of the application', async (_name, serve, path) => {
  const { send, errors } = await serve();
  expect((await send(fresh(), path)).status).toBe(500);
  expect(errors).toEqual([parsed]);
});

it.each([
  ['Express', serveExpress],
  ['Fastify', serveFastify],
])(
  '%s asks the sender to retry when a handler throws a DeliveryInProgressError',
  async (_, serve) => {
    const { status, headers } = await (await serve()).send({}, '/busy');
    expect([status, headers.get('retry-after')]).toEqual([503, '31']);
  },
);

describe('expressWebhook', () => {
  it.each<[string, string | undefined]>([
    ['no content type', undefined],
    ['another content type', 'text/plain'],
  ])('refuses a body that a parser skipped for %s', async (_name, type) => {
    const code = 'malformed_header';
    const { send, errors } = await serveExpress(express.raw({ type: '*/*' }), express.json());
    const { headers, body } = fresh();
    const { 'Content-Type': _, ...rest } = headers;
    const skipped = { headers: { ...rest, ...(type && { 'Content-Type': type }) } };
    // fetch adds a type to text, but not to bytes.
    const response = await send({ ...skipped, body: Buffer.from(body) });
    expect(await response.json()).toMatchObject(type ? { event: EVENT } : { error: { code } });
    const onlyJson = await serveExpress(express.raw({ type: 'application/json' }));
    const second = await onlyJson.send({ ...skipped, body: Buffer.from(body) });
    expect(second.status).toBe(401);
    expect(await second.json()).toEqual({
      error: { code, message: expect.stringContaining('express.raw({ type: () => true })') },
    });
    expect([...errors, ...onlyJson.errors]).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['bytes as rawBody', { rawBody: Buffer.from(fresh().body), body: {} }, 'accepted'],
    ['text as rawBody', { rawBody: fresh().body, body: {} }, 'accepted'],
    ['bytes as body', { body: Buffer.from(fresh().body) }, 'accepted'],
    [
      'an ArrayBuffer as body',
      { body: Uint8Array.from(Buffer.from(fresh().body)).buffer },
      'accepted',
    ],
    ['only a parsed body', { body: EVENT }, 'body_already_parsed'],
    ['nothing', {}, 'signature_mismatch'],
  ])('takes %s without a Content-Length, as serverless platforms do', (_name, given, outcome) => {
    const headers = Object.fromEntries(new Headers(fresh().headers));
    let result: unknown;
    const response = {
      status: () => ({ json: ({ error }: { error: { code: string } }) => (result = error.code) }),
    };
    const handle = ofExpress.expressWebhook({ secret });
    handle({ headers, ...given }, response as never, (error) => {
      result = (error as { code?: string } | undefined)?.code ?? 'accepted';
    });
    expect(result).toBe(outcome);
  });

  it.each([
    ['no parser', []],
    ['express.raw(), which skips JSON', [express.raw()]],
  ])('names the parser to use after %s', async (_name, before) => {
    const { send, errors } = await serveExpress(...before);
    await send(fresh());
    const message = expect.stringContaining('use express.raw({ type: () => true })');
    expect(errors).toEqual([expect.objectContaining({ code: 'body_already_parsed', message })]);
  });

  it('throws in a handler without the middleware', async () => {
    const { send, errors } = await serveExpress(raw);
    await send(fresh(), '/bare');
    expect(String(errors)).toContain('No verified webhook: add the adapter');
  });
});

describe('fastifyWebhook', () => {
  it('does not change the parsers of other scopes', async () => {
    const { send } = await serveFastify();
    const response = await send(fresh(), '/other');
    expect(await response.json()).toEqual({ body: JSON.parse(fresh().body) });
  });

  it('limits the body to 1 MiB, or to maxBodyBytes, after the headers', async () => {
    const statusOf = async (maxBodyBytes: number | undefined, change: RequestInit) => {
      const { send } = await serveFastify(maxBodyBytes === undefined ? {} : { maxBodyBytes });
      return (await send({ ...fresh(), ...change })).status;
    };
    const body = 'x'.repeat(1_048_577);
    expect(await statusOf(10, {})).toBe(413);
    expect(await statusOf(undefined, { body })).toBe(413);
    expect(await statusOf(2_000_000, { body })).toBe(401);
    expect(await statusOf(undefined, { body, headers: {} })).toBe(401);
  });
});

describe('honoWebhook', () => {
  it('responds itself to a request that the sender aborts', async () => {
    const sender = new AbortController();
    const body = new ReadableStream({
      pull(controller) {
        sender.abort();
        controller.error(new Error('aborted'));
      },
    });
    const { send, errors } = serveHono();
    const aborted = { ...fresh(), body, signal: sender.signal, duplex: 'half' } as RequestInit;
    const response = await send(aborted);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'request_aborted' } });
    expect(errors).toEqual([]);
  });

  it('accepts a body that was read as bytes, and a body limit', async () => {
    expect((await serveHono(readBefore('arrayBuffer')).send(fresh())).status).toBe(200);
    expect((await serveHono(bodyLimit({ maxSize: 10_000 })).send(fresh())).status).toBe(200);
    expect((await serveHono(bodyLimit({ maxSize: 10 })).send(fresh())).status).toBe(413);
  });

  it('answers before it reads a body', async () => {
    const unread = { body: new ReadableStream(), duplex: 'half' } as RequestInit;
    expect((await serveHono().send(unread)).status).toBe(401);
  });
});
