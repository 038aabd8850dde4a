import { storeDelivery } from '../delivery.js';
import { settingsOf, type VerifyRequestOptions, verifyRequestOptions } from '../options.js';
import type { RawBody } from '../raw-bytes.js';
import { readClaim } from '../signed-headers.js';
import { verifyBody } from '../verify-webhook.js';

export { type WebhookDelivery, webhookDelivery } from '../delivery.js';

/** The fields of Fastify's request that are read. */
export interface FastifyWebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** The methods of a Fastify instance that are called. */
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

/** A Fastify plugin that applies to the scope where it is registered. */
export type FastifyWebhookPlugin = (scope: FastifyWebhookScope) => Promise<void>;

/**
 * Creates a plugin for a scope with webhook routes only. In this scope bodies stay bytes, and only
 * verified deliveries reach a handler, which reads them with `webhookDelivery(request)`. Fastify
 * answers other requests with the error's status, `code` and message. Headers and age are checked
 * before the body is read. The `bodyLimit` of a route replaces `maxBodyBytes`.
 *
 * @throws {TypeError} when it is called, if an option is invalid
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
 *   hooks.post('/hook', async (request, reply) => {
 *     console.log(webhookDelivery(request).event.type);
 *     return reply.code(204).send();
 *   });
 * });
 * ```
 */
export function fastifyWebhook(options: VerifyRequestOptions): FastifyWebhookPlugin {
  const settings = settingsOf(options, verifyRequestOptions);
  const plugin: FastifyWebhookPlugin = async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: settings.maxBodyBytes },
      async (_request, body) => body,
    );
    scope.addHook('onRequest', async ({ headers }) => {
      readClaim(headers, settings);
    });
    scope.addHook('preValidation', async (request) => {
      const claim = readClaim(request.headers, settings);
      storeDelivery(request, verifyBody(claim, (request.body ?? '') as RawBody));
    });
  };
  // Without this symbol, Fastify runs the plugin in a new scope, which does not contain the routes.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
