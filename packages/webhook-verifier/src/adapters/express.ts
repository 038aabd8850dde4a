import { storeDelivery } from '../delivery.js';
import { isRefusal, refuse } from '../errors.js';
import { checkOptions, type VerifyOptions } from '../options.js';
import { type RawBody, tagOf } from '../raw-bytes.js';
import { verifyWebhook } from '../verify-webhook.js';

export { type WebhookDelivery, webhookDelivery } from '../delivery.js';

/** The fields of Express' request that are read. Nest and cloud functions set `rawBody`. */
export interface ExpressWebhookRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** The methods of Express' response that are called. */
export interface ExpressWebhookResponse {
  status(code: number): { json(body: unknown): unknown };
}

/** Express middleware, for Express 4 and 5. */
export type ExpressWebhookMiddleware = (
  req: ExpressWebhookRequest,
  res: ExpressWebhookResponse,
  next: (error?: unknown) => void,
) => void;

function bodyOf({ headers, rawBody, body }: ExpressWebhookRequest): RawBody {
  const raw = rawBody ?? body;
  if (typeof raw === 'string' || ArrayBuffer.isView(raw)) return raw as RawBody;
  // If no parser read the body, or there is none, `body` is {} in Express 4 and undefined in 5.
  const unread = tagOf(raw ?? {}) === '[object Object]' && Object.keys(raw ?? {}).length === 0;
  const empty = !('transfer-encoding' in headers || Number(headers['content-length']) > 0);
  if (unread && empty) return '';
  // Parsers skip a body of another type. Shorty sends JSON, so that is the sender's error.
  if (!/json/i.test(String(headers['content-type']))) {
    refuse(
      headers['content-type'] ? 'malformed_header' : 'missing_header',
      'content-type must be application/json, or parse with express.raw({ type: () => true })',
    );
  }
  if (unread) {
    refuse('body_already_parsed', 'No parser read the body: use express.raw({ type: () => true })');
  }
  return raw as RawBody;
}

/**
 * Creates middleware that passes verified deliveries to the handler, which reads them with
 * `webhookDelivery(req)`. It answers other requests with `{ error: { code, message } }` and the
 * error's status. If a parser consumed the body, it passes the error to `next`, because that is an
 * error of the application.
 *
 * @throws {TypeError} when it is called, if the secret is missing or an option is unknown
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { createDeduper } from '@shorty/webhook-verifier/dedupe';
 * import { expressWebhook, webhookDelivery } from '@shorty/webhook-verifier/express';
 *
 * const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 * const app = express();
 * const deduper = createDeduper();
 * const raw = express.raw({ type: () => true, limit: '1mb' });
 * app.post('/hook', raw, expressWebhook({ secret }), async (req, res) => {
 *   const { event, deliveryId } = webhookDelivery(req);
 *   await deduper.once(deliveryId, () => console.log(event.type));
 *   res.status(204).end();
 * });
 * ```
 */
export function expressWebhook(options: VerifyOptions): ExpressWebhookMiddleware {
  checkOptions(options);
  return (req, res, next) => {
    const { headers } = req;
    try {
      const event = verifyWebhook({
        ...options,
        headers,
        // Read after the signatures, whose absence is the better reason to refuse.
        get body() {
          return bodyOf(req);
        },
      });
      storeDelivery(req, event, headers);
    } catch (error) {
      if (isRefusal(error)) res.status(error.statusCode).json({ error });
      else next(error);
      return;
    }
    next();
  };
}
