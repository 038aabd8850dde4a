import { keepDelivery } from '../delivery.js';
import { MAX_BODY_BYTES, secretsOf, type VerifyRequestOptions } from '../options.js';
import type { RawBody } from '../raw-bytes.js';
import { readClaim } from '../signed-headers.js';
import { verifyWebhook } from '../verify-webhook.js';

export { type WebhookDelivery, webhookDelivery } from '../delivery.js';

/** The part of Fastify's request that is needed. */
export interface FastifyWebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** The part of a Fastify instance that is needed. */
export interface FastifyWebhookScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer'; bodyLimit?: number },
    parser: (request: unknown, body: unknown) => Promise<unknown>,
  ): unknown;
  addHook(name: 'onRequest', hook: (request: FastifyWebhookRequest) => Promise<void>): unknown;
  addHook(name: 'preValidation', hook: (request: FastifyWebhookRequest) => Promise<void>): unknown;
}

/** A Fastify plugin that acts on the scope it is registered in. */
export type FastifyWebhookPlugin = (
  scope: FastifyWebhookScope,
  options: unknown,
  done: () => void,
) => void;

/**
 * A plugin for a scope that has webhook routes only: in it, bodies stay bytes and only verified
 * deliveries reach a handler, which finds its own with `webhookDelivery(request)`. Others are
 * thrown and answered by Fastify with the error's status, `code` and message; those without fresh
 * signed headers before their body is read. A route's own `bodyLimit` replaces `maxBodyBytes`.
 *
 * @throws {TypeError} at once for a missing secret
 *
 * @example
 * ```ts
 * import fastify from 'fastify';
 * import { fastifyWebhook, webhookDelivery } from '@shorty/webhook-verifier/fastify';
 *
 * const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 * const app = fastify();
 * app.register(async (hooks) => {
 *   hooks.register(fastifyWebhook({ secret }));
 *   hooks.post('/hook', async (request) => ({ received: webhookDelivery(request).event.id }));
 * });
 * ```
 */
export function fastifyWebhook(options: VerifyRequestOptions): FastifyWebhookPlugin {
  secretsOf(options);
  const bodyLimit = options.maxBodyBytes ?? MAX_BODY_BYTES;
  const plugin: FastifyWebhookPlugin = (scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit },
      async (_request, body) => body,
    );
    scope.addHook('onRequest', async ({ headers }) => {
      readClaim(headers, options);
    });
    scope.addHook('preValidation', async (request) => {
      const { headers } = request;
      const body = (request.body ?? '') as RawBody;
      keepDelivery(request, verifyWebhook({ ...options, headers, body }), headers);
    });
    done();
  };
  // Without it Fastify would give the plugin a scope of its own, which no route is in.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
