import { refuse } from './errors.js';
import type { WebhookEventData } from './generated/event-data.js';
import { tagOf } from './raw-bytes.js';

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

/** Parses the event in a body whose signature is verified. */
export function parseEvent(bytes: Uint8Array): WebhookEvent {
  let value: Partial<WebhookEvent> | undefined;
  let cause: unknown;
  try {
    // The decoder is fatal: if it replaced invalid bytes, the text would differ from the signed body.
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    cause = error;
  }
  if (
    tagOf(value?.data) === '[object Object]' &&
    typeof value?.id === 'string' &&
    typeof value.type === 'string' &&
    Date.parse(value.createdAt as string) >= 0
  ) {
    return value as WebhookEvent;
  }
  refuse('invalid_json', 'The body must be a JSON event', cause);
}
