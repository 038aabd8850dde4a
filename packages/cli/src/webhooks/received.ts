import type { IncomingHttpHeaders } from 'node:http';
import { printable } from '@shorty/report';
import { verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';

/** A request that `webhooks listen` received, in its output format. */
export interface Received {
  readonly receivedAt: string;
  readonly deliveryId: string | null;
  readonly type: string;
  /** Null without a secret. */
  readonly isVerified: boolean | null;
  /** The reason why it was rejected. */
  readonly refusal: string | null;
  /** The parsed body; null when it is not JSON. */
  readonly event: unknown;
  /** The status of the receiver; null when nothing was forwarded. */
  readonly forwardedStatus: number | null;
  readonly forwardError: string | null;
  readonly durationMs: number | null;
}

export type Inspection = Pick<
  Received,
  'deliveryId' | 'type' | 'isVerified' | 'refusal' | 'event'
> & { readonly refusalStatus: number };

/** Verifies the signature of a delivery and parses its event. */
export function inspectDelivery(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string | undefined,
  nowMs: number,
): Inspection {
  const event = parseJson(body);
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : '';
  const delivery = {
    deliveryId: first(headers['x-service-delivery-id']) ?? null,
    type: typeof type === 'string' && type !== '' ? type : '(no event)',
    event: event ?? null,
    refusalStatus: 0,
  };
  if (secret === undefined) return { ...delivery, isVerified: null, refusal: null };
  try {
    verifyWebhook({ body, headers, secret, now: new Date(nowMs) });
    return { ...delivery, isVerified: true, refusal: null };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const refusal = `${error.code}: ${error.message}`;
    return { ...delivery, isVerified: false, refusal, refusalStatus: error.statusCode };
  }
}

/** Formats a request as one line without control characters. */
export function describeReceived(received: Received, hasColor: boolean): string {
  const { receivedAt, type, deliveryId, isVerified, refusal } = received;
  const mark = isVerified === null ? 'UNVERIFIED' : isVerified ? 'verified' : 'REFUSED';
  const color = isVerified === null ? 33 : isVerified ? 32 : 31;
  const shown = hasColor ? `\u001b[${color}m${mark.padEnd(10)}\u001b[39m` : mark.padEnd(10);
  const parts = [
    receivedAt.slice(11, 19),
    shown,
    type.padEnd(19),
    (deliveryId ?? '-').padEnd(36),
    outcome(received),
  ];
  if (refusal !== null) parts.push(refusal);
  return parts
    .map((part) => (part === shown ? part : printable(part)))
    .join('  ')
    .trimEnd();
}

function outcome({ forwardedStatus, forwardError, durationMs, isVerified }: Received): string {
  if (forwardError !== null) return `→ 502 (${forwardError})`;
  if (forwardedStatus !== null) return `→ ${forwardedStatus} in ${Math.round(durationMs ?? 0)} ms`;
  return isVerified === false ? 'not forwarded' : '';
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Not JSON, so there is no event to print. Verification rejects such a body.
    return undefined;
  }
}
