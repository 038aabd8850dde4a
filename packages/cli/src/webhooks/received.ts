import type { IncomingHttpHeaders } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';
import { printable } from '../format.js';

/** A request that came to `listen`, as it is printed. */
export interface Received {
  readonly receivedAt: string;
  readonly deliveryId: string | null;
  readonly type: string;
  /** Null where there is no secret to verify with. */
  readonly isVerified: boolean | null;
  /** Why it was refused. */
  readonly refusal: string | null;
  /** The body as JSON; null where it is none. */
  readonly event: unknown;
  /** What the receiver behind us answered; null where nothing was forwarded. */
  readonly forwardedStatus: number | null;
  readonly forwardError: string | null;
  readonly durationMs: number | null;
}

export type Judgement = Pick<
  Received,
  'deliveryId' | 'type' | 'isVerified' | 'refusal' | 'event'
> & { readonly refusalStatus: number };

/** Whether a delivery is genuine, and what it says. */
export function judge(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secret: string | undefined,
  nowMs: number,
): Judgement {
  const event = parseJson(body);
  const named = typeof event === 'object' && event !== null && 'type' in event ? event.type : '';
  const seen = {
    deliveryId: first(headers['x-service-delivery-id']) ?? null,
    type: typeof named === 'string' && named !== '' ? named : '(no event)',
    event: event ?? null,
    refusalStatus: 0,
  };
  if (secret === undefined) return { ...seen, isVerified: null, refusal: null };
  try {
    verifyWebhook({ body, headers, secret, now: new Date(nowMs) });
    return { ...seen, isVerified: true, refusal: null };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const refusal = `${error.code}: ${error.message}`;
    return { ...seen, isVerified: false, refusal, refusalStatus: error.statusCode };
  }
}

/** One line for people, whatever the sender wrote. */
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
    // Printed as it is: nothing. A verified body is JSON, or was refused for it.
    return undefined;
  }
}
