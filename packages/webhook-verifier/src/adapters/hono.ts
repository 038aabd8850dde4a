import { keepDelivery } from '../delivery.js';
import { isRefusal, refuseConsumed } from '../errors.js';
import { secretsOf, type VerifyRequestOptions } from '../options.js';
import { readBody } from '../read-body.js';
import { readClaim, type WebhookHeaders } from '../signed-headers.js';
import { verifyRequest } from '../verify-request.js';

export { type WebhookDelivery, webhookDelivery } from '../delivery.js';

/** The part of Hono's context that is needed. */
export interface HonoWebhookContext {
  readonly req: {
    readonly raw: {
      readonly headers: WebhookHeaders;
      readonly body?: unknown;
      readonly bodyUsed: boolean;
      arrayBuffer(): Promise<ArrayBuffer>;
    };
    readonly bodyCache: { arrayBuffer?: unknown };
  };
}

/** Hono middleware. */
export type HonoWebhookMiddleware = (
  context: HonoWebhookContext,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

/**
 * Lets only verified deliveries through to the handler, which finds its own with
 * `webhookDelivery(c)` and may still read the body. Answers any other with
 * `{ error: { code, message } }` and the error's status; one without fresh signed headers before its
 * body is read. A body that was read before is the application's fault and is thrown to
 * `app.onError`.
 *
 * @throws {TypeError} at once for a missing secret
 *
 * @example
 * ```ts
 * import { Hono } from 'hono';
 * import { honoWebhook, webhookDelivery } from '@shorty/webhook-verifier/hono';
 *
 * const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 * const app = new Hono();
 * app.post('/hook', honoWebhook({ secret }), (c) => {
 *   const { event } = webhookDelivery(c);
 *   return c.json({ received: event.id });
 * });
 * ```
 */
export function honoWebhook(options: VerifyRequestOptions): HonoWebhookMiddleware {
  secretsOf(options);
  return async (context, next) => {
    const { raw, bodyCache } = context.req;
    const headers = raw.headers;
    try {
      readClaim(headers, options);
      if (!bodyCache.arrayBuffer) {
        // Of a body that was read as text or JSON, Hono would make bytes anew, and nobody signed
        // those. A fault of the stream, such as a body limit's, is thrown to Hono.
        if (raw.bodyUsed) refuseConsumed();
        bodyCache.arrayBuffer = Promise.resolve((await readBody(raw, options)).slice().buffer);
      }
      const arrayBuffer = () => bodyCache.arrayBuffer as Promise<ArrayBuffer>;
      const event = await verifyRequest({ headers, arrayBuffer }, options);
      keepDelivery(context, event, headers);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return Response.json({ error }, { status: error.statusCode });
    }
    await next();
    return undefined;
  };
}
