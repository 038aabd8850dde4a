import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { instant, paging, queryInteger, uuidText } from '../contract/fields.js';
import { eventType } from './webhook-contract.js';
import { maxWaitSeconds } from './webhook-limits.js';

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

export const eventListRoutes = [
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
] as const;
