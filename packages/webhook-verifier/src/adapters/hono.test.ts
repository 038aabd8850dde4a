import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { describe, expect, it } from 'vitest';
import { EVENT, SECRET, sample } from '../../test/sample.js';
import { honoWebhook, webhookDelivery } from './hono.js';

function build(...before: MiddlewareHandler[]) {
  const errors: unknown[] = [];
  const app = new Hono();
  for (const middleware of before) app.use(middleware);
  app.post('/hook', honoWebhook({ secret: SECRET }), async (c) =>
    c.json({ ...webhookDelivery(c), again: await c.req.json() }),
  );
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    errors.push(error);
    return c.text('fault', 500);
  });
  return { post: (init: RequestInit) => app.request('/hook', { method: 'POST', ...init }), errors };
}

const fresh = () => sample({ now: new Date() });

describe('honoWebhook', () => {
  it('passes a verified delivery to the handler, which can still read the body', async () => {
    const response = await build().post(fresh());
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      event: EVENT,
      deliveryId: 'delivery-1',
      again: EVENT,
    });
  });

  it.each<[string, () => RequestInit, string]>([
    ['another body', () => ({ ...fresh(), body: '{}' }), 'signature_mismatch'],
    ['nothing at all', () => ({}), 'missing_header'],
  ])('responds to %s itself', async (_name, init, code) => {
    const { post, errors } = build();
    const response = await post(init());
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: { code, message: expect.any(String) } });
    expect(errors).toEqual([]);
  });

  it('reports a body that was read before', async () => {
    const reader: MiddlewareHandler = async (c, next) => {
      await c.req.json();
      await next();
    };
    const { post, errors } = build(reader);
    expect((await post(fresh())).status).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ code: 'body_already_parsed' })]);
  });

  it('responds itself to a request that the sender aborts', async () => {
    const sender = new AbortController();
    const body = new ReadableStream({
      pull(controller) {
        sender.abort();
        controller.error(new Error('aborted'));
      },
    });
    const { post, errors } = build();
    const aborted = { ...fresh(), body, signal: sender.signal, duplex: 'half' } as RequestInit;
    const response = await post(aborted);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'request_aborted' } },
    ]);
    expect(errors).toEqual([]);
  });

  it('accepts a body that was read as bytes, and a body limit', async () => {
    const reader: MiddlewareHandler = async (c, next) => {
      await c.req.arrayBuffer();
      await next();
    };
    expect((await build(reader).post(fresh())).status).toBe(200);
    expect((await build(bodyLimit({ maxSize: 10_000 })).post(fresh())).status).toBe(200);
    expect((await build(bodyLimit({ maxSize: 10 })).post(fresh())).status).toBe(413);
  });

  it('answers before it reads a body, and to one that is too large', async () => {
    const unread = { body: new ReadableStream(), duplex: 'half' } as RequestInit;
    expect((await build().post(unread)).status).toBe(401);
    const large = await build().post({ ...fresh(), body: 'x'.repeat(1_048_577) });
    expect([large.status, await large.json()]).toMatchObject([413, { error: {} }]);
  });
});
