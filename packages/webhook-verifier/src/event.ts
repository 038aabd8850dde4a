import { refuse } from './errors.js';
import type { WebhookEventData } from './generated/event-data.js';
import { tagOf } from './raw-bytes.js';

/** A type of event that a webhook can subscribe to. */
export type WebhookEventType = keyof WebhookEventData;

/**
 * A verified event: a union discriminated by `type`. Events can arrive in any order; sort them by
 * `createdAt`. A newer server can send types that are not listed here, so a `switch` needs a default
 * branch.
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
  let value: Partial<WebhookEvent> | null;
  try {
    // The decoder is fatal: if it replaced invalid bytes, the text would differ from the signed body.
    value = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    refuse('invalid_json', 'The body must be JSON in UTF-8', { cause });
  }
  const isEvent =
    tagOf(value?.data) === '[object Object]' &&
    typeof value?.id === 'string' &&
    typeof value.type === 'string' &&
    Date.parse(value.createdAt as string) >= 0;
  if (!isEvent)
    refuse('invalid_json', 'The body must be an event with id, type, createdAt and data');
  return value as WebhookEvent;
}
