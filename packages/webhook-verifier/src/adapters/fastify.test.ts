import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { EVENT, runElsewhere, SECRET, sample } from '../../test/sample.js';
import { fastifyWebhook, webhookDelivery } from './fastify.js';

function build(options: { maxBodyBytes?: number } = {}) {
  const app = fastify();
  app.register(async (hooks) => {
    hooks.register(fastifyWebhook({ secret: SECRET, ...options }));
    hooks.post('/hook', async (request) => webhookDelivery(request));
    hooks.register(async (parsing) => {
      parsing.addContentTypeParser(
        'application/json',
        { parseAs: 'string' },
        async (_req: unknown, body: unknown) => JSON.parse(String(body)),
      );
      parsing.post('/parsed', async (request) => webhookDelivery(request));
    });
  });
  app.post('/other', async (request) => ({ body: request.body }));
  app.post('/busy', runElsewhere);
  return app;
}

const fresh = () => sample({ now: new Date() });
const post = (given: { headers?: Record<string, string>; body?: string }, url = '/hook') =>
  build().inject({ method: 'POST', url, ...given });

describe('fastifyWebhook', () => {
  it('passes a verified delivery to the handler', async () => {
    const response = await post(fresh());
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ event: EVENT, deliveryId: 'delivery-1' });
  });

  it('does not change the parsers of other scopes', async () => {
    const { headers, body } = fresh();
    expect((await post({ headers, body }, '/other')).json()).toEqual({ body: JSON.parse(body) });
  });

  it.each<[string, () => Parameters<typeof post>[0], string]>([
    ['another body', () => ({ ...fresh(), body: '{}' }), 'signature_mismatch'],
    ['nothing at all', () => ({}), 'missing_header'],
  ])('makes Fastify respond to %s', async (_name, given, code) => {
    const response = await post(given());
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ statusCode: 401, code, error: 'Unauthorized' });
  });

  it('limits the body to 1 MiB, or to maxBodyBytes', async () => {
    const request = { method: 'POST', url: '/hook', ...fresh() } as const;
    expect((await build({ maxBodyBytes: 10 }).inject(request)).statusCode).toBe(413);
    const large = { ...request, body: 'x'.repeat(1_048_577) };
    expect((await build().inject(large)).statusCode).toBe(413);
    expect((await build({ maxBodyBytes: 2_000_000 }).inject(large)).statusCode).toBe(401);
  });

  it('refuses an unsigned delivery before its body is read', async () => {
    const response = await post({ body: 'x'.repeat(1_048_577) });
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ code: 'missing_header' });
  });

  it('asks the sender to retry when a handler throws a DeliveryInProgressError', async () => {
    const { statusCode, headers } = await post({}, '/busy');
    expect([statusCode, headers['retry-after']]).toEqual([503, '31']);
  });

  it('refuses a body that a parser of an inner scope consumed', async () => {
    const response = await post(fresh(), '/parsed');
    expect(response.statusCode).toBe(500);
    expect(response.json()).toMatchObject({ code: 'body_already_parsed' });
  });
});
