import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { eventType } from './webhook-contract.js';

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

export const eventTypeRoutes = [
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
