import { WebhookVerificationError } from './errors.js';

/** Fields that this version of the package does not describe; check them before use. */
export type WebhookData = Readonly<Record<string, unknown>>;

/** What a `url.created` event carries; a newer server may add fields. */
export interface UrlCreatedData {
  /** Decimal digits. */
  readonly id: string;
  readonly shortCode: string;
  readonly targetUrl: string;
  /** UUID. */
  readonly organizationId: string;
  readonly [field: string]: unknown;
}

/** The event types, each with the data of its events. */
export interface WebhookEventData {
  readonly 'url.created': UrlCreatedData;
  readonly 'url.updated': WebhookData;
  readonly 'url.click_threshold': WebhookData;
  readonly 'url.expired': WebhookData;
  readonly 'qr.created': WebhookData;
  readonly 'qr.scan_threshold': WebhookData;
  readonly 'qr.deleted': WebhookData;
  readonly 'domain.verified': WebhookData;
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEvent(value: unknown): value is WebhookEvent {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.type === 'string' &&
    typeof value.createdAt === 'string' &&
    !Number.isNaN(Date.parse(value.createdAt)) &&
    isObject(value.data)
  );
}

/** Reads the event out of a body whose signature has been checked. */
export function parseEvent(bytes: Uint8Array): WebhookEvent {
  let value: unknown;
  try {
    // A decoder that replaced bad bytes would hand on a text that nobody signed.
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new WebhookVerificationError('invalid_json', 'The body is not JSON', { cause });
  }
  if (!isEvent(value)) {
    throw new WebhookVerificationError('invalid_json', 'The body is not an event');
  }
  return value;
}
