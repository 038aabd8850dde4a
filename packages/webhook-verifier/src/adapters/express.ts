import { keepDelivery } from '../delivery.js';
import { isRefusal } from '../errors.js';
import { secretsOf, type VerifyOptions } from '../options.js';
import type { RawBody } from '../raw-bytes.js';
import { verifyWebhook } from '../verify-webhook.js';

export { type WebhookDelivery, webhookDelivery } from '../delivery.js';

/** The part of Express' request that is needed; `rawBody` is where Nest and cloud functions keep the bytes. */
export interface ExpressWebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** The part of Express' response that is needed. */
export interface ExpressWebhookResponse {
  status(code: number): { json(body: unknown): unknown };
}

/** Express middleware, for Express 4 and 5. */
export type ExpressWebhookMiddleware = (
  req: ExpressWebhookRequest,
  res: ExpressWebhookResponse,
  next: (error?: unknown) => void,
) => void;

function bodyOf({ headers, rawBody, body }: ExpressWebhookRequest): unknown {
  const raw = rawBody ?? body;
  // Parsers skip a request without a body and leave undefined or {}: that is no parsed body.
  const empty = !('transfer-encoding' in headers || Number(headers['content-length']) > 0);
  return empty && !ArrayBuffer.isView(raw) ? '' : raw;
}

/**
 * Lets only verified deliveries through to the handler, which finds its own with
 * `webhookDelivery(req)`. Answers any other with `{ error: { code, message } }` and the error's
 * status. A body that a parser consumed is the application's fault and goes to `next`.
 *
 * @throws {TypeError} at once for a missing secret
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { expressWebhook, webhookDelivery } from '@shorty/webhook-verifier/express';
 *
 * const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 * const app = express();
 * app.post('/hook', express.raw({ type: '*\/*' }), expressWebhook({ secret }), (req, res) => {
 *   const { event } = webhookDelivery(req);
 *   res.json({ received: event.id });
 * });
 * ```
 */
export function expressWebhook(options: VerifyOptions): ExpressWebhookMiddleware {
  secretsOf(options);
  return (req, res, next) => {
    const { headers } = req;
    try {
      const event = verifyWebhook({ ...options, headers, body: bodyOf(req) as RawBody });
      keepDelivery(req, event, headers);
    } catch (error) {
      if (isRefusal(error)) res.status(error.statusCode).json({ error });
      else next(error);
      return;
    }
    next();
  };
}
