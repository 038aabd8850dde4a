import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { instant, queryBoolean, uuid, uuidParam, uuidText } from '../contract/fields.js';
import { everyType } from '../events/subscription.js';
import { secrets } from './webhook-contract.js';
import {
  maxStoredResponseBytes,
  maxStreams,
  maxUnanswered,
  outcomeTimeoutMs,
  streamLifetimeMs,
} from './webhook-limits.js';
import { events, filters, filtersRecord, subscribedType } from './webhook-settings.js';

const maxReplayLast = 100;
const maxErrorLength = 500;
const maxDurationMs = 60 * 60 * 1000;

export const webhookStreamRequest = z
  .strictObject({
    events: events.default([everyType]).meta({
      description: 'The event types to deliver. Default: `*`, which is all but `url.clicked`.',
    }),
    filters,
    replayLast: z.int().min(0).max(maxReplayLast).default(0).meta({
      description:
        'The number of past events of these types that are delivered first, oldest first, if a webhook of the organization got them. Available in the plans scale and enterprise.',
      example: 5,
    }),
  })
  .meta({ id: 'WebhookStreamRequest' });

export const webhookStream = z
  .object({
    id: uuidText,
    url: z.string().meta({
      description: 'The path of the stream.',
      example: '/api/v1/webhooks/streams/0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47',
    }),
    events: z.array(subscribedType),
    filters: filtersRecord.nullable().meta({ description: 'The filters; null without them.' }),
    ...secrets,
    createdAt: instant,
    expiresAt: instant.meta({
      description: `When the stream is deleted, unless a client reads it. Each read moves it to ${streamLifetimeMs / 1000} seconds later.`,
    }),
    replayed: z
      .int()
      .min(0)
      .meta({ description: 'The number of past events that are delivered first.' }),
  })
  .meta({ id: 'WebhookStream' });

export const deliveryOutcome = z
  .strictObject({
    deliveryId: uuid.meta({ description: 'The id of the delivery.' }),
    statusCode: z
      .int()
      .min(100)
      .max(599)
      .nullable()
      .meta({ description: 'The status of the response. Null without a response.', example: 204 }),
    error: z
      .string()
      .max(maxErrorLength)
      .nullish()
      .meta({ description: 'Why there is no response.', example: null }),
    durationMs: z
      .int()
      .min(0)
      .max(maxDurationMs)
      .meta({ description: 'How long the attempt took.', example: 12 }),
    responseBody: z
      .string()
      .max(maxStoredResponseBytes)
      .nullish()
      .meta({ description: 'The start of the response.', example: 'ok' }),
  })
  .meta({ id: 'DeliveryOutcome' });

export const deliveryOutcomes = z
  .strictObject({
    outcomes: z
      .array(deliveryOutcome)
      .min(1)
      .max(maxUnanswered)
      .meta({ description: 'Outcomes in any order.' }),
  })
  .meta({ id: 'DeliveryOutcomes' });

const write = { tag: 'Webhooks', access: { scope: 'webhooks:write' } } as const;
const params = z.strictObject({ id: uuidParam });

export const streamRoutes = [
  defineRoute('createWebhookStream', 'POST /api/v1/webhooks/streams', {
    ...write,
    summary: 'Create a temporary webhook whose deliveries are read from a stream',
    description: `For development: it needs no address that the server can reach. It is a webhook in all other operations, and is deleted ${streamLifetimeMs / 1000} seconds after it was last read. An organization has at most ${maxStreams}, which do not count as webhooks.`,
    body: webhookStreamRequest,
    bodyOptional: true,
    responses: { 201: { description: 'The stream and its secret', data: webhookStream } },
    errors: ['PLAN_REQUIRED', 'QUOTA_EXCEEDED'],
  }),
  defineRoute('readWebhookStream', 'GET /api/v1/webhooks/streams/{id}', {
    ...write,
    summary: 'Read deliveries as server-sent events',
    description: `Each event \`delivery\` has the id of the delivery as its \`id\`, and \`{ "headers", "body" }\` as JSON in \`data\`: the headers and the exact body that a receiver would get. The client then reports an outcome. A client has at most ${maxUnanswered} deliveries without an outcome. One without an outcome is sent again after ${outcomeTimeoutMs / 1000} seconds, and when another connection begins to follow the stream, which ends this one.`,
    params,
    query: z.strictObject({
      follow: queryBoolean.optional().meta({
        description:
          'True keeps the response open for later deliveries, for ten minutes at most. By default, it ends after those that are due.',
      }),
    }),
    responses: { 200: { description: 'Server-sent events', mediaType: 'text/event-stream' } },
    errors: ['PLAN_REQUIRED'],
  }),
  defineRoute('reportOutcomes', 'POST /api/v1/webhooks/streams/{id}/outcomes', {
    ...write,
    summary: 'Report the outcomes of deliveries from a stream',
    description:
      'A delivery with a status of 2xx is delivered, and every other one has failed: it is not retried. Outcomes of deliveries that have one already are ignored.',
    params,
    body: deliveryOutcomes,
    responses: {
      200: {
        description: 'The number of outcomes that were recorded',
        data: z.object({
          recorded: z
            .int()
            .min(0)
            .meta({ description: 'The number of recorded outcomes.', example: 1 }),
        }),
      },
    },
  }),
] as const;

export type DeliveryOutcome = z.output<typeof deliveryOutcome>;
