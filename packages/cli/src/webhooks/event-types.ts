import type { EventType } from '@shorty/sdk';

// A record, so that compilation fails when the contract adds or removes an event type.
const known: Readonly<Record<EventType, true>> = {
  'url.created': true,
  'url.updated': true,
  'url.deleted': true,
  'url.restored': true,
  'url.clicked': true,
  'url.click_threshold': true,
  'url.expired': true,
  'qr.created': true,
  'qr.scan_threshold': true,
  'qr.deleted': true,
  'domain.verified': true,
  'webhook.disabled': true,
};

export const eventTypes = Object.keys(known) as readonly EventType[];
