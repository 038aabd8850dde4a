import { z } from 'zod';
import { domainRecord } from '../domains/domain-contract.js';
import { qrRecord } from '../qr/qr-contract.js';
import { urlRecord } from '../urls/url-contract.js';
import { type EventType, eventTypes } from './event-types.js';

const uuid = z.string().meta({ format: 'uuid', example: '0198c0de-0000-7000-8000-0000000000aa' });
const instant = z.string().meta({ format: 'date-time', example: '2030-01-01T00:00:00.000Z' });
const count = z.int().min(0);

const threshold = z
  .object({
    id: z.string().meta({ description: 'Of the URL or the QR code.', example: '42' }),
    shortCode: z.string().meta({ example: 'aB3xY9q' }),
    threshold: z.int().min(1).meta({ description: 'What was reached.', example: 100 }),
    count: count.meta({ description: 'The count when it was reached.', example: 103 }),
  })
  .meta({ id: 'ThresholdEventData' });

// Receivers must bear fields that a newer server adds; responses of the API are described exactly.
const url = z.object(urlRecord.shape).meta({ id: 'UrlEventData' });
const qr = z.object(qrRecord.shape).meta({ id: 'QrEventData' });
const domain = z.object(domainRecord.shape).meta({ id: 'DomainEventData' });

/** What the events of each type carry as `data`. */
export const eventData = {
  'url.created': url,
  'url.updated': url,
  'url.click_threshold': threshold,
  'url.expired': url,
  'qr.created': qr,
  'qr.scan_threshold': threshold,
  'qr.deleted': qr,
  'domain.verified': domain,
} as const satisfies Record<EventType, z.ZodObject>;

export type EventData<Type extends EventType> = z.input<(typeof eventData)[Type]>;

export const eventSummaries: Record<EventType, string> = {
  'url.created': 'A link was created, by itself or in bulk',
  'url.updated': 'A link was changed, paused, resumed or deleted',
  'url.click_threshold': "A link's clicks reached a threshold",
  'url.expired': "A link's time has come",
  'qr.created': 'A QR code was created',
  'qr.scan_threshold': "A QR code's scans reached a threshold",
  'qr.deleted': 'A QR code was deleted',
  'domain.verified': 'A custom domain was verified for the first time',
};

/** The body of a delivery. Specification, "Delivery format". */
function eventOf<Type extends EventType>(type: Type) {
  return z
    .object({
      id: uuid.meta({ description: 'The same in every delivery of the event.' }),
      type: z.literal(type),
      createdAt: instant.meta({ description: 'In UTC with milliseconds; tells the order.' }),
      data: eventData[type],
    })
    .meta({ id: `${type.replace(/(?:^|[._])(\w)/g, (_, letter) => letter.toUpperCase())}Event` });
}

export const eventBodies = eventTypes.map((type) => ({ type, body: eventOf(type) }));
