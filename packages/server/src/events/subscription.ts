import type { Schema } from '../storage/schema.js';
import { tagTextOf } from '../storage/tag-text.js';
import { type EventType, optInTypes } from './event-types.js';

/** Subscribes a webhook to all event types, including future ones, except those to opt in to. */
export const everyType = '*';

/** What an event is about. */
export interface EventSubject {
  /** Undefined for an event that is not about one link. */
  readonly urlId?: number | undefined;
  /** Null on the platform's domain. */
  readonly domainId?: string | null;
  /** In the form of `urls.tags`: each tag between line breaks. */
  readonly tags?: string;
}

/** Values of which the link of an event must have one. Each that is missing allows all links. */
export interface EventFilters {
  readonly tags?: string[];
  readonly domainIds?: string[];
  readonly urlIds?: number[];
}

/** The part of a webhook that selects its events. */
export interface Subscription {
  readonly events: readonly string[];
  readonly filters: EventFilters | null;
}

/** Returns the subscription of a row of `webhooks`. */
export function subscriptionOf(row: { events: string; filters: string | null }): Subscription {
  return {
    events: JSON.parse(row.events) as string[],
    filters: row.filters === null ? null : (JSON.parse(row.filters) as EventFilters),
  };
}

/** Returns whether a webhook subscribes to a type of event. */
export function wantsType({ events }: Pick<Subscription, 'events'>, type: EventType): boolean {
  return events.includes(type) || (events.includes(everyType) && !optInTypes.includes(type));
}

/** The columns of an event that subscriptions compare. */
type StoredEvent = Pick<Schema['events'], 'type' | 'url_id' | 'domain_id' | 'tags'>;

/** Returns whether the filters of a webhook allow an event. */
export function passesFilters(
  { filters }: Pick<Subscription, 'filters'>,
  { type, url_id, domain_id, tags }: StoredEvent,
): boolean {
  if (filters === null) return true;
  // Its visits were filtered one by one.
  if (type === 'url.clicked' && url_id === null) return true;
  return (
    (filters.urlIds?.includes(url_id ?? 0) ?? true) &&
    (filters.domainIds?.includes(domain_id ?? '') ?? true) &&
    (filters.tags?.some((tag) => tags?.includes(tagTextOf(tag))) ?? true)
  );
}

/** Returns whether a webhook subscribes to a stored event. */
export function wantsEvent(webhook: Subscription, event: StoredEvent): boolean {
  return wantsType(webhook, event.type as EventType) && passesFilters(webhook, event);
}
