import { storeDelivery } from '../delivery.js';
import { isRefusal } from '../errors.js';
import { secretsOf, type VerifyOptions } from '../options.js';
import type { RawBody } from '../raw-bytes.js';
import { verifyWebhook } from '../verify-webhook.js';

export { type WebhookDelivery, webhookDelivery } from '../delivery.js';

/** The part of Express' request that is used. Nest and cloud functions set `rawBody`. */
export interface ExpressWebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** The part of Express' response that is used. */
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
  // For a request without a body, parsers leave undefined or {}.
  const empty = !('transfer-encoding' in headers || Number(headers['content-length']) > 0);
  return empty && !ArrayBuffer.isView(raw) ? '' : raw;
}

/**
 * Passes verified deliveries to the handler, which reads them with `webhookDelivery(req)`. Answers
 * others with `{ error: { code, message } }` and the error's status. Passes the error to `next` if a
 * parser consumed the body, because that is an error of the application.
 *
 * @throws {TypeError} immediately if the secret is missing
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
      storeDelivery(req, event, headers);
    } catch (error) {
      if (isRefusal(error)) res.status(error.statusCode).json({ error });
      else next(error);
      return;
    }
    next();
  };
}
