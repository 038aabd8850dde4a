import { z } from 'zod';
import { urlClicked } from '../analytics/ingest/click-events.js';
import { defineRoute } from '../contract/define-route.js';
import { instant, paging, queryInteger, uuidText } from '../contract/fields.js';
import { domainVerified } from '../domains/domain-contract.js';
import { type DataOfEvent, defineEvent, type EventDefinition } from '../events/define-event.js';
import { type EventType, eventTypes } from '../events/event-types.js';
import { qrScanThreshold, urlClickThreshold } from '../events/threshold-events.js';
import { qrCreated, qrDeleted } from '../qr/qr-contract.js';
import { urlCreated, urlDeleted, urlExpired, urlRestored, urlUpdated } from '../urls/url-events.js';
import { disabledWebhook, eventType } from './webhook-contract.js';

export const webhookDisabled = defineEvent({
  type: 'webhook.disabled',
  data: disabledWebhook.meta({ id: 'WebhookDisabledEventData' }),
  summary:
    'The server disabled another webhook of the organization, because its receiver failed for days',
});

export const events = {
  'url.created': urlCreated,
  'url.updated': urlUpdated,
  'url.deleted': urlDeleted,
  'url.restored': urlRestored,
  'url.clicked': urlClicked,
  'url.click_threshold': urlClickThreshold,
  'url.expired': urlExpired,
  'qr.created': qrCreated,
  'qr.scan_threshold': qrScanThreshold,
  'qr.deleted': qrDeleted,
  'domain.verified': domainVerified,
  'webhook.disabled': webhookDisabled,
} as const satisfies { readonly [Type in EventType]: EventDefinition<Type> };

export type EventData<Type extends EventType> = DataOfEvent<(typeof events)[Type]>;

/** Returns the schema of a delivery's body. Specification, "Delivery format". */
function eventOf<Type extends EventType>(type: Type) {
  return z
    .object({
      id: uuidText.describe('The same in every delivery of the event.'),
      type: z.literal(type),
      createdAt: instant.describe(
        'The time of the event, in UTC with milliseconds. Events can arrive in another order.',
      ),
      test: z
        .literal(true)
        .optional()
        .describe('True in test deliveries. Absent from every other delivery.'),
      data: events[type].data,
    })
    .meta({ id: `${type.replace(/(?:^|[._])(\w)/g, (_, letter) => letter.toUpperCase())}Event` });
}

export const eventBodies = eventTypes.map((type) => ({
  type,
  summary: events[type].summary,
  body: eventOf(type),
}));

/** The longest time that a list of events waits for one. */
const maxWaitSeconds = 25;

const event = z
  .object({
    id: uuidText.describe('The same in every delivery of the event.'),
    type: eventType,
    createdAt: instant.describe('The time of the event.'),
    data: z
      .record(z.string(), z.unknown())
      .describe('What the event is about. `GET /api/v1/event-types` has the schema of each type.'),
  })
  .meta({ id: 'Event' });

const eventPage = z
  .object({
    items: z.array(event).describe('The events, oldest first, as deliveries have them.'),
    nextAfter: z.string().meta({
      description: 'Continues after these events, also when there are none yet.',
      example: '12',
    }),
  })
  .meta({ id: 'EventPage' });

const eventListQuery = z.strictObject({
  after: z.string().min(1).max(200).optional().meta({
    description:
      'The nextAfter of the page before, or `latest` for the events from now on. Default: the oldest event.',
    example: 'latest',
  }),
  type: eventType.optional().describe('Only events of this type.'),
  limit: paging.limit,
  wait: queryInteger({ min: 0, max: maxWaitSeconds, default: 0 }).describe(
    'The number of seconds to wait for an event if there is none.',
  ),
});

const anyObject = z.record(z.string(), z.unknown());

const eventTypeDetails = z
  .object({
    type: eventType,
    description: z.string().meta({
      description: 'When the server sends the event.',
      example: 'A link was created, alone or in bulk',
    }),
    isOptIn: z.boolean().meta({
      description: 'Whether `*` does not include the type, so that webhooks have to name it.',
      example: false,
    }),
    schema: anyObject.describe(
      'The JSON schema (draft 2020-12) of the body. Newer servers may add fields.',
    ),
    example: anyObject.describe('A valid body.'),
  })
  .meta({ id: 'EventTypeDetails' });

export const eventRoutes = [
  defineRoute('listEvents', 'GET /api/v1/events', {
    tag: 'Webhooks',
    access: { scope: 'webhooks:read' },
    summary: 'List the events of the organization',
    description:
      'Oldest first, in the order of their commits: an event is listed only after every event before it, so a reader that continues with nextAfter misses none. Each event is listed for 30 days, whether or not a webhook subscribes to it. `url.clicked` is written while a webhook names it, once for each, and is listed for at least a day. Test events are not listed.',
    query: eventListQuery,
    responses: { 200: { description: 'One page of events', data: eventPage } },
    errors: ['PLAN_REQUIRED'],
  }),
  defineRoute('listEventTypes', 'GET /api/v1/event-types', {
    tag: 'Webhooks',
    access: { scope: 'webhooks:read' },
    summary: 'List all event types with their JSON schemas',
    description: 'The list has no pages, because it has only the types that this server knows.',
    responses: {
      200: {
        description: 'All event types',
        data: z.object({
          items: z.array(eventTypeDetails).describe('All event types.'),
        }),
      },
    },
  }),
] as const;
