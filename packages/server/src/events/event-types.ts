/** The events that webhooks can subscribe to. Specification, "Event types". */
export const eventTypes = [
  'url.created',
  'url.updated',
  'url.click_threshold',
  'url.expired',
  'qr.created',
  'qr.scan_threshold',
  'qr.deleted',
  'domain.verified',
] as const;

export type EventType = (typeof eventTypes)[number];
