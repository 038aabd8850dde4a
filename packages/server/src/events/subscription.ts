import type { EventType } from './event-types.js';

/** Subscribes a webhook to all event types, including future ones. */
export const everyType = '*';

/** What an event is about. Filters compare it. */
export interface EventSubject {
  /** Undefined for an event that is not about a link. */
  readonly urlId?: number;
  /** Null on the platform's domain. */
  readonly domainId?: string | null;
  /** In the form of `urls.tags`: each tag between line breaks. */
  readonly tags?: string;
}

/** The part of a webhook that selects its events. */
export interface Subscription {
  readonly events: readonly string[];
}

/** Returns whether a webhook subscribes to a type of event. */
export function wantsType({ events }: Subscription, type: EventType): boolean {
  return events.includes(type) || events.includes(everyType);
}
