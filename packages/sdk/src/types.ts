import type { components, operations } from './generated/api.js';
import type { UrlListItem, UrlRecord } from './generated/types.js';
import type { Page } from './paginate.js';

export type * from './generated/types.js';

/** The id of a link: a string in responses, a string or a number in requests. */
export type UrlId = string | number;

/** One page of a list of links with all their fields. */
export interface UrlRecordPage extends Page<UrlRecord> {}
/** One page of a list of links with their main fields. */
export interface UrlListItemPage extends Page<UrlListItem> {}

type EventType = components['schemas']['EventType'];

/** The body of a delivery: a union of all events that `type` discriminates. */
export type WebhookEvent<Type extends EventType = EventType> = {
  [Name in Type]: operations[Name]['requestBody']['content']['application/json'];
}[Type];

/** One page of a list of events, oldest first. */
export interface EventPage extends Omit<components['schemas']['EventPage'], 'items'> {
  items: WebhookEvent[];
}
