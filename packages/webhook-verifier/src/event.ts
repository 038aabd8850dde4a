import { refuse } from './errors.js';

/** The link of a `url.*` event. The server sends the whole record, and a newer one may add fields. */
export interface UrlEventData {
  /** Decimal digits. */
  readonly id: string;
  readonly shortCode: string;
  readonly targetUrl: string;
  /** UUID. */
  readonly organizationId: string;
  readonly [field: string]: unknown;
}

/** The link of `url.updated`. */
export interface UrlUpdatedEventData extends UrlEventData {
  /** The values before the change, of the fields that have changed. Older servers do not send it. */
  readonly previous?: { readonly [field: string]: unknown };
}

/** A visit of `url.clicked`, without anything that identifies the visitor. */
export interface ClickedVisit {
  /** Decimal digits. */
  readonly urlId: string;
  readonly shortCode: string;
  readonly customSlug: string | null;
  /** ISO 8601 in UTC. */
  readonly visitedAt: string;
  /** `click` or `scan`. */
  readonly method: string;
  readonly country: string;
  readonly deviceType: string;
  readonly browser: string;
  readonly os: string;
  readonly referrerDomain: string;
  readonly referrerType: string;
  readonly [field: string]: unknown;
}

/** The visits of about a second. */
export interface UrlClickedEventData {
  /** 1 to 500 visits. */
  readonly visits: readonly ClickedVisit[];
  /** The number of visits before these that no event has, because too many were waiting. */
  readonly omitted: number;
  readonly [field: string]: unknown;
}

/** A threshold that a count has reached. */
export interface ThresholdEventData {
  /** The id of the link or the QR code. */
  readonly id: string;
  readonly shortCode: string;
  /** The threshold that was reached. */
  readonly threshold: number;
  /** The count of clicks or scans at that time. */
  readonly count: number;
  readonly [field: string]: unknown;
}

/** The QR code of a `qr.*` event. */
export interface QrEventData {
  /** UUID. */
  readonly id: string;
  /** Null for a QR code without a link. */
  readonly urlId: string | null;
  /** The content of the QR code. */
  readonly qrData: string;
  readonly [field: string]: unknown;
}

/** The domain that was verified. */
export interface DomainEventData {
  readonly hostname: string;
  readonly [field: string]: unknown;
}

/** The webhook that the server disabled. */
export interface WebhookDisabledEventData {
  /** UUID. */
  readonly id: string;
  readonly url: string;
  /** ISO 8601 in UTC. */
  readonly disabledAt: string;
  readonly disabledReason: string;
  readonly [field: string]: unknown;
}

/** The data of each event type. */
export interface WebhookEventData {
  readonly 'url.created': UrlEventData;
  readonly 'url.updated': UrlUpdatedEventData;
  readonly 'url.deleted': UrlEventData;
  readonly 'url.restored': UrlEventData;
  readonly 'url.clicked': UrlClickedEventData;
  readonly 'url.click_threshold': ThresholdEventData;
  readonly 'url.expired': UrlEventData;
  readonly 'qr.created': QrEventData;
  readonly 'qr.scan_threshold': ThresholdEventData;
  readonly 'qr.deleted': QrEventData;
  readonly 'domain.verified': DomainEventData;
  readonly 'webhook.disabled': WebhookDisabledEventData;
}

/** A type of event that a webhook can subscribe to. */
export type WebhookEventType = keyof WebhookEventData;

/**
 * A verified event: a union discriminated by `type`. Events can arrive in any order; sort them by
 * `createdAt`. A newer server can send types that are not listed here, so a `switch` needs a default
 * branch.
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
    /** The id of the event. It is signed and the same in every delivery. */
    readonly id: string;
    readonly type: Name;
    /** ISO 8601 in UTC, with milliseconds. */
    readonly createdAt: string;
    /** True in a test delivery. */
    readonly test?: true;
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
    isObject(value.data)
  );
}

/** Parses the event in a body whose signature is verified. */
export function parseEvent(bytes: Uint8Array): WebhookEvent {
  let value: unknown;
  let cause: unknown;
  try {
    // The decoder is fatal: if it replaced invalid bytes, the text would differ from the signed body.
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    cause = error;
  }
  if (isEvent(value)) return value;
  refuse('invalid_json', 'The body must be a JSON event', cause);
}
