import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { EVENT, SECRET, sample } from '../../test/sample.js';
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
  const server = app.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const post = (init: RequestInit, path = '/hook') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', ...init });
  return { post, errors };
}

const raw = express.raw({ type: '*/*' });
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
    ['no body', () => ({ headers: fresh().headers }), 401, 'signature_mismatch'],
    ['no headers', () => ({ body: '{}' }), 401, 'missing_header'],
    ['nothing at all', () => ({}), 401, 'missing_header'],
    ['an old delivery', () => sample(), 401, 'timestamp_out_of_tolerance'],
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

  it('reports a missing body parser', async () => {
    const { post, errors } = await serve();
    await post(fresh());
    expect(errors).toEqual([expect.objectContaining({ code: 'body_already_parsed' })]);
  });

  it('prefers rawBody to a parsed body', async () => {
    const keep: Parameters<typeof express.json>[0] = {
      verify: (req, _res, bytes) => Object.assign(req, { rawBody: bytes }),
    };
    const { post } = await serve(express.json(keep));
    expect((await post(fresh())).status).toBe(200);
  });

  it('throws in a handler without the middleware', async () => {
    const { post } = await serve(raw);
    expect(await (await post(fresh(), '/bare')).json()).toEqual({
      fault: 'No verified webhook: add the adapter first',
    });
  });

  it('throws for a missing secret when the middleware is created', () => {
    expect(() => expressWebhook({ secret: '' })).toThrow(TypeError);
  });
});
