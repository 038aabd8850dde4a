import { deliveryOf, storeDelivery } from '../delivery.js';
import { isRefusal } from '../errors.js';
import { settingsOf, type VerifyRequestOptions, verifyRequestOptions } from '../options.js';
import { readBody, type WebhookRequest } from '../read-body.js';
import { verifyClaim } from '../signature-web.js';
import { readClaim } from '../signed-headers.js';

export { type WebhookDelivery, webhookDelivery } from '../delivery.js';

/** The fields of Hono's context that are used. */
export interface HonoWebhookContext {
  readonly req: {
    readonly raw: WebhookRequest;
    readonly bodyCache: { arrayBuffer?: unknown };
  };
}

/** Hono middleware, for Hono 4. */
export type HonoWebhookMiddleware = (
  context: HonoWebhookContext,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

/**
 * Creates middleware that passes verified deliveries to the handler, which reads them with
 * `webhookDelivery(c)` and can still read the body. It answers other requests with
 * `{ error: { code, message } }` and the error's status. Headers and age are checked before the body
 * is read. If the body was read before, it throws to `app.onError`, because that is an error of the
 * application.
 *
 * @throws {TypeError} when it is called, if an option is invalid
 *
 * @example
 * ```ts
 * import { Hono } from 'hono';
 * import { honoWebhook, webhookDelivery } from '@shorty/webhook-verifier/hono';
 *
 * const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 * const app = new Hono();
 * app.post('/hook', honoWebhook({ secret }), async (c) => {
 *   console.log(webhookDelivery(c).event.type);
 *   return c.body(null, 204);
 * });
 * ```
 */
export function honoWebhook(options: VerifyRequestOptions): HonoWebhookMiddleware {
  const settings = settingsOf(options, verifyRequestOptions);
  return async (context, next) => {
    const { raw, bodyCache } = context.req;
    try {
      const claim = readClaim(raw.headers, settings);
      const cached = bodyCache.arrayBuffer as Promise<ArrayBuffer> | undefined;
      // After a body was read as text or JSON, Hono encodes it again. These bytes may differ from the
      // signed ones. Errors of the stream, such as a body limit's, are thrown to Hono.
      const request = cached ? { headers: raw.headers, arrayBuffer: () => cached } : raw;
      const body = await readBody(request, settings);
      bodyCache.arrayBuffer ??= Promise.resolve(body.slice().buffer);
      await verifyClaim(claim, body);
      storeDelivery(context, deliveryOf(claim, body));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return Response.json({ error }, { status: error.statusCode });
    }
    await next();
    return undefined;
  };
}
