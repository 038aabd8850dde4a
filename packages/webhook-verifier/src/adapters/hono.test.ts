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

  it('accepts a body that was read as bytes, and a body limit', async () => {
    const reader: MiddlewareHandler = async (c, next) => {
      await c.req.arrayBuffer();
      await next();
    };
    expect((await build(reader).post(fresh())).status).toBe(200);
    expect((await build(bodyLimit({ maxSize: 10_000 })).post(fresh())).status).toBe(200);
    expect((await build(bodyLimit({ maxSize: 10 })).post(fresh())).status).toBe(413);
  });

  it.each<[string, () => Record<string, string>, number, string, number]>([
    ['a body without end', () => fresh().headers, 413, 'body_too_large', 2 * 1_048_576],
    ['an unsigned body', () => ({}), 401, 'missing_header', 1],
  ])('stops reading %s', async (_name, headers, status, code, mostBytes) => {
    let bytes = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          // A reader without a limit fails here, and does not take all the memory.
          if (bytes > 8 * 1_048_576) throw new Error('it was read to the end');
          bytes += 65_536;
          controller.enqueue(new Uint8Array(65_536));
        },
      },
      { highWaterMark: 0 },
    );
    const { post, errors } = build();
    const response = await post({ headers: headers(), body, duplex: 'half' } as RequestInit);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
    expect(bytes).toBeLessThan(mostBytes);
    expect(errors).toEqual([]);
  });
});
