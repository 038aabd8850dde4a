import { storeDelivery } from '../delivery.js';
import { isRefusal, refuse } from '../errors.js';
import { settingsOf, type VerifyOptions, verifyOptions } from '../options.js';
import { type RawBody, tagOf } from '../raw-bytes.js';
import { readClaim } from '../signed-headers.js';
import { verifyBody } from '../verify-webhook.js';

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

const parser = 'use express.raw({ type: () => true })';

function bodyOf({ headers, rawBody, body }: ExpressWebhookRequest): RawBody {
  const raw = rawBody ?? body ?? {};
  if (tagOf(raw) !== '[object Object]') return raw as RawBody;
  // If no parser read the body, or there is none, `body` is {} in Express 4 and undefined in 5.
  const isSent = 'transfer-encoding' in headers || Number(headers['content-length']) > 0;
  if (!isSent && Object.keys(raw).length === 0) return '';
  // Parsers skip a body of another type. Shorty sends JSON, so that is the sender's error.
  if (!/json/i.test(String(headers['content-type']))) {
    refuse('malformed_header', `content-type must be application/json, or ${parser}`);
  }
  refuse('body_already_parsed', `The body must be raw bytes: ${parser}, before other parsers`);
}

/**
 * Creates middleware that passes verified deliveries to the handler, which reads them with
 * `webhookDelivery(req)`. It answers other requests with `{ error: { code, message } }` and the
 * error's status. If a parser consumed the body, it passes the error to `next`, because that is an
 * error of the application.
 *
 * @throws {TypeError} when it is called, if an option is invalid
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { expressWebhook, webhookDelivery } from '@shorty/webhook-verifier/express';
 *
 * const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
 * const app = express();
 * const raw = express.raw({ type: () => true, limit: '1mb' });
 * app.post('/hook', raw, expressWebhook({ secret }), (req, res) => {
 *   console.log(webhookDelivery(req).event.type);
 *   res.status(204).end();
 * });
 * ```
 */
export function expressWebhook(options: VerifyOptions): ExpressWebhookMiddleware {
  const settings = settingsOf(options, verifyOptions);
  return (req, res, next) => {
    try {
      const claim = readClaim(req.headers, settings);
      storeDelivery(req, verifyBody(claim, bodyOf(req)));
    } catch (error) {
      if (isRefusal(error)) res.status(error.statusCode).json({ error });
      else next(error);
      return;
    }
    next();
  };
}
