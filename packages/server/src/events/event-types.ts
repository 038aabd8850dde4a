/** The events that webhooks can subscribe to. Specification, "Event types", and four more. */
export const eventTypes = [
  'url.created',
  'url.updated',
  'url.deleted',
  'url.restored',
  'url.clicked',
  'url.click_threshold',
  'url.expired',
  'qr.created',
  'qr.scan_threshold',
  'qr.deleted',
  'domain.verified',
  'webhook.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

/** The types that `*` does not include, because a webhook gets many of them. */
export const optInTypes: readonly EventType[] = ['url.clicked'];
