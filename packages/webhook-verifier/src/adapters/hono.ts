import { keepDelivery } from '../delivery.js';
import { isRefusal } from '../errors.js';
import { secretsOf, type VerifyOptions } from '../options.js';
import type { WebhookHeaders } from '../signed-headers.js';
import { verifyRequest } from '../verify-request.js';

export { type WebhookDelivery, webhookDelivery } from '../delivery.js';

/** The part of Hono's context that is needed. */
export interface HonoWebhookContext {
  readonly req: {
    readonly raw: {
      readonly headers: WebhookHeaders;
      readonly bodyUsed: boolean;
      arrayBuffer(): Promise<ArrayBuffer>;
    };
    readonly bodyCache: { readonly arrayBuffer?: unknown };
    arrayBuffer(): Promise<ArrayBuffer>;
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
 * `{ error: { code, message } }` and the error's status. A body that was read before is the
 * application's fault and is thrown to `app.onError`.
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
export function honoWebhook(options: VerifyOptions): HonoWebhookMiddleware {
  secretsOf(options.secret);
  return async (context, next) => {
    const { req } = context;
    const { headers } = req.raw;
    // Of a body that was read, Hono would make bytes anew from the text or JSON it cached, and
    // nobody signed those; the used request itself rejects. A fault of the stream, such as a body
    // limit's, is left to Hono.
    const used = req.raw.bodyUsed && !req.bodyCache.arrayBuffer;
    const bytes = used ? undefined : await req.arrayBuffer();
    try {
      const event = await verifyRequest(
        {
          headers,
          arrayBuffer: async () => bytes ?? req.raw.arrayBuffer(),
        },
        options,
      );
      keepDelivery(context, event, headers);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return Response.json({ error }, { status: error.statusCode });
    }
    await next();
    return undefined;
  };
}
