import { WebhookVerificationError } from './errors.js';

/** The link that a `url.*` event is about; the server sends its whole record, a newer one more. */
export interface UrlEventData {
  /** Decimal digits. */
  readonly id: string;
  readonly shortCode: string;
  readonly targetUrl: string;
  /** UUID. */
  readonly organizationId: string;
  readonly [field: string]: unknown;
}

/** A count that has reached a threshold. */
export interface ThresholdEventData {
  /** Of the link or the QR code. */
  readonly id: string;
  readonly shortCode: string;
  /** What was reached. */
  readonly threshold: number;
  /** The count when it was reached. */
  readonly count: number;
  readonly [field: string]: unknown;
}

/** The QR code that a `qr.*` event is about. */
export interface QrEventData {
  /** UUID. */
  readonly id: string;
  /** Null when the code stands alone. */
  readonly urlId: string | null;
  /** What the code says. */
  readonly qrData: string;
  readonly [field: string]: unknown;
}

/** The domain that was verified. */
export interface DomainEventData {
  readonly hostname: string;
  readonly [field: string]: unknown;
}

/** The event types, each with the data of its events. */
export interface WebhookEventData {
  readonly 'url.created': UrlEventData;
  readonly 'url.updated': UrlEventData;
  readonly 'url.click_threshold': ThresholdEventData;
  readonly 'url.expired': UrlEventData;
  readonly 'qr.created': QrEventData;
  readonly 'qr.scan_threshold': ThresholdEventData;
  readonly 'qr.deleted': QrEventData;
  readonly 'domain.verified': DomainEventData;
}

/** What a webhook can subscribe to. */
export type WebhookEventType = keyof WebhookEventData;

/**
 * A verified event: a union that `type` tells apart. Events may arrive in any order, `createdAt`
 * tells theirs. A server newer than this package may send a type that is not listed here, so give
 * a `switch` a default branch.
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from '@shorty/webhook-verifier';
 *
 * export function describe(event: WebhookEvent): string {
 *   switch (event.type) {
 *     case 'url.created':
 *       return `${event.data.shortCode} leads to ${event.data.targetUrl}`;
 *     default:
 *       return `${event.type} at ${event.createdAt}`;
 *   }
 * }
 * ```
 */
export type WebhookEvent<Type extends WebhookEventType = WebhookEventType> = {
  [Name in Type]: {
    /** The event's own id, covered by the signature and the same in every delivery of it. */
    readonly id: string;
    readonly type: Name;
    /** ISO 8601 in UTC, with milliseconds. */
    readonly createdAt: string;
    readonly data: WebhookEventData[Name];
  };
}[Type];

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true });

function isObject(value: unknown): value is Record<string, unknown> {
  return {}.toString.call(value) === '[object Object]';
}

function isEvent(value: unknown): value is WebhookEvent {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.type === 'string' &&
    typeof value.createdAt === 'string' &&
    /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value.createdAt) &&
    isObject(value.data)
  );
}

/** Reads the event out of the bytes whose signature has been checked. */
export function parseEvent(bytes: Uint8Array): WebhookEvent {
  let value: unknown;
  let cause: unknown;
  try {
    // A decoder that replaced bad bytes would hand on a text that nobody signed.
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    cause = error;
  }
  if (isEvent(value)) return value;
  throw new WebhookVerificationError('invalid_json', 'The body is not an event in JSON', { cause });
}
