import { z } from 'zod';
import { windowQuery } from '../analytics/reports/report-contract.js';
import { defineRoute } from '../contract/define-route.js';
import {
  characters,
  checkedText,
  instant,
  type ListFilter,
  pageOf,
  paging,
  timestamp,
  uuid,
  uuidParam,
  uuidText,
  webAddress,
} from '../contract/fields.js';
import { eventTypes } from '../events/event-types.js';
import { findUrlError } from '../network/receiver-url.js';
import { maxStoredResponseBytes } from './attempt.js';
import { defaultRotationMs, standardSecretOf } from './secrets.js';
import { webhookStats } from './stats-contract.js';
import {
  description,
  events,
  filters,
  filtersRecord,
  headers,
  subscribedType,
} from './webhook-settings.js';

export const disabledReasons = ['failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** The maximum number of webhooks of an organization. Each event writes a delivery for each of them. */
export const maxWebhooks = 50;
/** The maximum number of events that one recovery delivers again. */
export const maxRecovered = 1_000;
const maxReceiverUrlLength = 2048;

const url = checkedText(
  // The service applies the operator's setting for private addresses.
  (text) => findUrlError(text, { allowPrivateNetwork: true })?.message,
  characters(maxReceiverUrlLength),
).meta({
  description:
    'The URL of the receiver: http or https, on a public address, without a user name. The server checks the address at every attempt.',
  pattern: webAddress,
  example: 'https://example.com/hooks/shorty',
});

export const eventType = z
  .enum(eventTypes, { error: `must be one of ${eventTypes.join(', ')}` })
  .meta({ id: 'EventType' });

export const webhookCreateRequest = z
  .strictObject({
    url,
    events,
    isActive: z.boolean().optional().describe('Whether the webhook is active. True by default.'),
    description,
    filters,
    headers,
  })
  .meta({ id: 'WebhookCreateRequest' });

export const webhookUpdateRequest = webhookCreateRequest
  .extend({
    isActive: z
      .boolean()
      .describe('Whether events are delivered. Pending deliveries of a paused webhook wait.'),
  })
  .partial()
  .meta({
    id: 'WebhookUpdateRequest',
    description: 'The fields to change; null clears an optional one.',
  });

const secretExample = 'shorty_ws_2YbW3pPzYHqUnTkTqPHyAeqJvUqZ4Yt6mC8b1fZr0dE';
export const secrets = {
  secret: z.string().meta({
    description: 'The signing secret. Only this response contains it.',
    example: secretExample,
  }),
  standardWebhooksSecret: z.string().meta({
    description:
      'The same secret for libraries of Standard Webhooks, which verify `webhook-signature`: `whsec_` and the base64 of the bytes of `secret`. The key of `X-Service-Signature` is the text of `secret`.',
    example: standardSecretOf(secretExample),
  }),
};

const commonFields = {
  id: uuidText,
  url: z.string().meta({
    description: 'The URL of the receiver.',
    example: 'https://example.com/hooks/shorty',
  }),
  events: z.array(subscribedType),
};
const isActive = z
  .boolean()
  .describe(
    'While false, the server sends nothing, and pending deliveries wait. New events create no deliveries, except for 30 days after the server has disabled the webhook (see disabledReason).',
  );

const health = {
  failureRate: z.number().min(0).max(1).nullable().meta({
    description:
      'The share of recent attempts that failed: a moving average in which each new attempt has a weight of 2 %. Null before the first attempt.',
    example: 0.02,
  }),
  lastSuccessAt: instant.nullable().describe('When the last attempt succeeded.'),
  failingSince: instant
    .nullable()
    .describe('When the first attempt since the last success failed. Null while attempts succeed.'),
  disabledAt: instant
    .nullable()
    .describe(
      'When the server disabled the webhook. `PATCH { "isActive": true }` resumes its deliveries.',
    ),
  disabledReason: z.enum(disabledReasons).nullable().meta({
    description:
      'Why the server disabled the webhook. `failing`: every attempt failed for 5 days, or for the time that the operator set.',
    example: null,
  }),
};

/** The longest time that old secrets still sign after a rotation, in seconds. */
const maxRotationSeconds = 7 * 24 * 60 * 60;

export const webhookRotateRequest = z
  .strictObject({
    expireOldAfterSeconds: z
      .int()
      .min(0)
      .max(maxRotationSeconds)
      .optional()
      .meta({
        description: `End all old secrets within this time; 0 ends them now. By default, the replaced secret signs for ${defaultRotationMs / 1000} seconds more, and the end of older ones stays.`,
        example: 3600,
      }),
  })
  .meta({ id: 'WebhookRotateRequest' });

export const webhookRecord = z
  .object({
    ...commonFields,
    isActive,
    description: z.string().nullable().meta({ description: description.meta()?.description }),
    filters: filtersRecord.nullable(),
    headerNames: z.array(z.string()).meta({
      description: 'The names of the further headers. Their values are secrets.',
      example: ['Authorization'],
    }),
    createdAt: instant,
    updatedAt: instant,
    ...health,
    previousSecrets: z
      .array(z.object({ expiresAt: instant.describe('When it ends.') }))
      .describe('The replaced secrets that still sign deliveries, at most 1.'),
  })
  .meta({ id: 'Webhook' });

export const webhookCreated = z
  .object({ ...commonFields, ...secrets, ...webhookRecord.shape })
  .meta({ id: 'WebhookCreated' });

/** A webhook that the server has just disabled. */
export const disabledWebhook = z.object({
  id: uuidText,
  url: commonFields.url,
  disabledAt: instant.describe('When the server disabled the webhook.'),
  disabledReason: z.enum(disabledReasons).meta({ description: health.disabledReason.description }),
  failingSince: health.failingSince,
  lastSuccessAt: health.lastSuccessAt,
});

export const rotatedSecret = z
  .object({
    id: uuidText,
    ...secrets,
    previousSecretExpiresAt: instant.describe(
      'Until this time, the secret that this one replaces also signs.',
    ),
  })
  .meta({ id: 'WebhookSecret' });

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

const status = z.enum(deliveryStatuses).meta({
  id: 'DeliveryStatus',
  description:
    '`failed`: the last attempt of the schedule failed, or the webhook no longer wants the event.',
});
const statusCode = z
  .int()
  .nullable()
  .describe('The status of the response. Null without a response.');
const error = z
  .string()
  .nullable()
  .meta({ example: 'The receiver answered 500', description: 'Null after a success.' });

export const deliveryRecord = z
  .object({
    id: uuidText.describe('The value of X-Service-Delivery-Id, the same at every attempt.'),
    webhookId: uuidText,
    eventId: uuidText,
    eventType,
    status,
    attempts: z.int().min(0).meta({ description: 'Attempts made so far.', example: 1 }),
    nextAttemptAt: instant.nullable(),
    lastStatusCode: statusCode,
    lastError: error,
    createdAt: instant,
    deliveredAt: instant.nullable(),
  })
  .meta({ id: 'Delivery' });

export const deliveryAttempt = z
  .object({
    number: z.int().min(1),
    attemptedAt: instant,
    durationMs: z.int().min(0),
    statusCode,
    error,
    responseBody: z
      .string()
      .nullable()
      .describe(`The first ${maxStoredResponseBytes} bytes of the response, as text.`),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliveryDetail = deliveryRecord
  .extend({
    requestBody: z.string().meta({
      description: 'The exact body of every attempt.',
      example:
        '{"id":"0198c0de-0000-7000-8000-0000000000aa","type":"domain.verified","createdAt":"2030-01-01T00:00:00.000Z","data":{"hostname":"go.example.com"}}',
    }),
    attemptHistory: z.array(deliveryAttempt).describe('The attempts, oldest first.'),
  })
  .meta({ id: 'DeliveryDetail' });

const read = { tag: 'Webhooks', access: { scope: 'webhooks:read' } } as const;
const write = { tag: 'Webhooks', access: { scope: 'webhooks:write' } } as const;
const params = z.strictObject({ id: uuidParam });
const deliveryParams = z.strictObject({
  id: uuidParam,
  deliveryId: uuid.meta({ param: { id: 'DeliveryId', description: 'The id of the delivery.' } }),
});

export const recoverRequest = z
  .strictObject({
    since: timestamp.describe('Delivers again what was created at or after it.'),
    until: timestamp
      .optional()
      .describe('Delivers again what was created before it. Default: now.'),
    eventType: eventType.optional().describe('Only events of this type.'),
  })
  .meta({ id: 'RecoverRequest' });

export const recovered = z
  .object({
    created: z.int().min(0).max(maxRecovered).meta({
      description: 'The number of new deliveries.',
      example: 120,
    }),
    hasMore: z.boolean().describe('Whether more failed deliveries remain.'),
  })
  .meta({ id: 'Recovered' });

const deliveryListQuery = z.strictObject({
  ...paging,
  status: z
    .enum(deliveryStatuses, { error: `must be one of ${deliveryStatuses.join(', ')}` })
    .optional()
    .describe('Only deliveries with this status.'),
  eventType: eventType.optional().describe('Only deliveries of events of this type.'),
  since: timestamp.optional().describe('Only deliveries created at or after it.'),
  until: timestamp.optional().describe('Only deliveries created before it.'),
});

export const webhookRoutes = [
  defineRoute('createWebhook', 'POST /api/v1/webhooks', {
    ...write,
    hasVersions: true,
    summary: 'Subscribe a receiver to events',
    description: `An organization has at most ${maxWebhooks} webhooks. Only this response contains the secret.`,
    body: webhookCreateRequest,
    responses: { 201: { description: 'The new webhook and its secret', data: webhookCreated } },
    errors: ['PLAN_REQUIRED', 'QUOTA_EXCEEDED'],
  }),
  defineRoute('listWebhooks', 'GET /api/v1/webhooks', {
    ...read,
    summary: 'List webhooks, newest first',
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of webhooks', data: pageOf(webhookRecord) } },
  }),
  defineRoute('getWebhook', 'GET /api/v1/webhooks/{id}', {
    ...read,
    hasVersions: true,
    summary: 'Read a webhook',
    params,
    responses: { 200: { description: 'The webhook', data: webhookRecord } },
  }),
  defineRoute('updateWebhook', 'PATCH /api/v1/webhooks/{id}', {
    ...write,
    hasVersions: true,
    summary: 'Change, pause or resume a webhook',
    description:
      'All later attempts use the changed URL and headers. A URL of another origin needs the headers again, because their values are secrets. Pending deliveries that the changed `events` or `filters` exclude fail, with the reason in `lastError`. `isActive: true` also activates a webhook that the server has disabled. Its pending deliveries continue with their number of attempts and their due times.',
    params,
    body: webhookUpdateRequest,
    responses: { 200: { description: 'The changed webhook', data: webhookRecord } },
    errors: ['PLAN_REQUIRED'],
  }),
  defineRoute('deleteWebhook', 'DELETE /api/v1/webhooks/{id}', {
    ...write,
    hasVersions: true,
    summary: 'Delete a webhook',
    description: 'Also deletes its deliveries. Pending deliveries are not sent.',
    params,
    responses: { 200: { description: 'The webhook that was deleted', data: webhookRecord } },
  }),
  defineRoute('testWebhook', 'POST /api/v1/webhooks/{id}/test', {
    ...write,
    summary: 'Send an example event',
    description:
      'Sends the example of an event type to this webhook only, even if the webhook does not subscribe to the type. Failed attempts are retried as for every delivery.',
    params,
    body: z
      .strictObject({
        type: eventType
          .optional()
          .describe("The type of the example. Default: the webhook's first type."),
      })
      .meta({ id: 'WebhookTestRequest' }),
    bodyOptional: true,
    responses: {
      201: { description: 'The delivery, which is sent immediately', data: deliveryRecord },
    },
    errors: ['PLAN_REQUIRED'],
  }),
  defineRoute('rotateWebhookSecret', 'POST /api/v1/webhooks/{id}/rotate-secret', {
    ...write,
    summary: 'Replace the signing secret',
    description:
      'While old secrets live, X-Service-Signature is by the oldest of them, X-Service-Signature-Next by the new secret, and webhook-signature by all. SECRET_CONFLICT: the webhook has two live secrets already.',
    params,
    body: webhookRotateRequest,
    bodyOptional: true,
    responses: { 200: { description: 'The new secret', data: rotatedSecret } },
    errors: ['PLAN_REQUIRED', 'SECRET_CONFLICT'],
  }),
  defineRoute('listDeliveries', 'GET /api/v1/webhooks/{id}/deliveries', {
    ...read,
    summary: "List a webhook's deliveries, newest first",
    params,
    query: deliveryListQuery,
    responses: { 200: { description: 'One page of deliveries', data: pageOf(deliveryRecord) } },
  }),
  defineRoute('getDelivery', 'GET /api/v1/webhooks/{id}/deliveries/{deliveryId}', {
    ...read,
    summary: 'Read a delivery with its attempts',
    params: deliveryParams,
    responses: { 200: { description: 'The delivery', data: deliveryDetail } },
  }),
  defineRoute('replayDelivery', 'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay', {
    ...write,
    summary: 'Deliver an event again',
    description:
      'Creates a new delivery of the same event, with a new id and the same body. Available in the plans scale and enterprise.',
    params: deliveryParams,
    responses: {
      201: { description: 'The new delivery, which is sent immediately', data: deliveryRecord },
    },
    errors: ['PLAN_REQUIRED'],
  }),
  defineRoute('recoverDeliveries', 'POST /api/v1/webhooks/{id}/recover', {
    ...write,
    summary: 'Deliver failed events again',
    description: `Creates a new delivery of each event whose latest delivery to the webhook failed in the time range, oldest first, at most ${maxRecovered}. Repeat the request while hasMore is true. Available in the plans scale and enterprise.`,
    params,
    body: recoverRequest,
    responses: { 201: { description: 'The number of new deliveries', data: recovered } },
    errors: ['PLAN_REQUIRED'],
  }),
  defineRoute('getWebhookStats', 'GET /api/v1/webhooks/{id}/stats', {
    ...read,
    summary: "Read the statistics of a webhook's attempts",
    description:
      'The attempts of the stored deliveries that were created in the window, test events and replays included. Deliveries are stored for 30 days, and delivered `url.clicked` for one.',
    params,
    query: windowQuery,
    responses: { 200: { description: 'The statistics of the window', data: webhookStats } },
  }),
] as const;

export type WebhookCreateRequest = z.output<typeof webhookCreateRequest>;
export type WebhookUpdateRequest = z.output<typeof webhookUpdateRequest>;
export type WebhookSettings = Pick<WebhookUpdateRequest, 'description' | 'filters' | 'headers'>;
export type SubscribedType = z.output<typeof subscribedType>;
export type RecoverRequest = z.output<typeof recoverRequest>;
export type DeliveryFilter = ListFilter<z.output<typeof deliveryListQuery>>;
