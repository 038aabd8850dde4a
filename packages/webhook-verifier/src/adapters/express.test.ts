import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { EVENT, runElsewhere, SECRET, sample } from '../../test/sample.js';
import { expressWebhook, webhookDelivery } from './express.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A real server whose route has these handlers before the verified one. */
async function serve(...before: RequestHandler[]) {
  const errors: unknown[] = [];
  const app = express();
  app.post('/hook', ...before, expressWebhook({ secret: SECRET }), (req, res) => {
    res.json(webhookDelivery(req));
  });
  app.post('/bare', (req, res) => res.json(webhookDelivery(req)));
  const onFault: ErrorRequestHandler = (error, _req, res, _next) => {
    errors.push(error);
    res.status(error.statusCode ?? 500).json({ fault: error.message });
  };
  app.use(onFault);
  const send = await listen(app);
  return { post: (init: RequestInit, path = '/hook') => send(path, init), errors };
}

async function listen(app: Express) {
  const server = app.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', ...init });
}

const raw = express.raw({ type: () => true });
const fresh = () => sample({ now: new Date() });

describe('expressWebhook', () => {
  it('passes a verified delivery to the handler', async () => {
    const { post } = await serve(raw);
    const response = await post(fresh());
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ event: EVENT, deliveryId: 'delivery-1' });
  });

  it.each<[string, () => RequestInit, number, string]>([
    ['another body', () => ({ ...fresh(), body: '{}' }), 401, 'signature_mismatch'],
    ['nothing at all', () => ({}), 401, 'missing_header'],
  ])('responds to %s itself', async (_name, init, status, code) => {
    const { post, errors } = await serve(raw);
    const response = await post(init());
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: { code, message: expect.any(String) } });
    expect(errors).toEqual([]);
  });

  it('passes a body that express.json() consumed to the error handler', async () => {
    const { post, errors } = await serve(express.json());
    const response = await post(fresh());
    expect(response.status).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ code: 'body_already_parsed' })]);
  });

  it.each<[string, string | undefined]>([
    ['no content type', undefined],
    ['another content type', 'text/plain'],
  ])('refuses a body that a parser skipped for %s', async (_name, type) => {
    const code = 'malformed_header';
    const { post, errors } = await serve(express.raw({ type: '*/*' }), express.json());
    const { headers, body } = fresh();
    const { 'Content-Type': _, ...rest } = headers;
    const skipped = { headers: { ...rest, ...(type && { 'Content-Type': type }) } };
    // fetch adds a type to text, but not to bytes.
    const response = await post({ ...skipped, body: Buffer.from(body) });
    expect(await response.json()).toMatchObject(type ? { event: EVENT } : { error: { code } });
    const onlyJson = await serve(express.raw({ type: 'application/json' }));
    const second = await onlyJson.post({ ...skipped, body: Buffer.from(body) });
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
    const headers = Object.fromEntries(
      Object.entries(fresh().headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    let result: unknown;
    const response = {
      status: () => ({ json: ({ error }: { error: { code: string } }) => (result = error.code) }),
    };
    expressWebhook({ secret: SECRET })({ headers, ...given }, response as never, (error) => {
      result = (error as { code?: string } | undefined)?.code ?? 'accepted';
    });
    expect(result).toBe(outcome);
  });

  it.each([
    ['no parser', []],
    ['express.raw(), which skips JSON', [express.raw()]],
  ])('names the parser to use after %s', async (_name, before) => {
    const { post, errors } = await serve(...before);
    await post(fresh());
    const message = expect.stringContaining('use express.raw({ type: () => true })');
    expect(errors).toEqual([expect.objectContaining({ code: 'body_already_parsed', message })]);
  });

  it('throws in a handler without the middleware', async () => {
    const { post } = await serve(raw);
    expect(await (await post(fresh(), '/bare')).json()).toEqual({
      fault: 'No verified webhook: add the adapter',
    });
  });

  it('asks the sender to retry when a handler throws a DeliveryInProgressError', async () => {
    const app = express().post('/busy', () => runElsewhere());
    // As in tests of an application: Express logs no error.
    const { status, headers } = await (await listen(app.set('env', 'test')))('/busy');
    expect([status, headers.get('retry-after')]).toEqual([503, '31']);
  });
});
