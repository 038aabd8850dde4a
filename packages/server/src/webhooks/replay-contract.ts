import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import {
  instant,
  type ListFilter,
  pageOf,
  paging,
  timestamp,
  uuid,
  uuidParam,
  uuidText,
} from '../contract/fields.js';
import { eventType } from './webhook-contract.js';

export const replayStates = ['running', 'completed', 'cancelled'] as const;
export const replayStatuses = ['failed', 'delivered', 'all'] as const;

const replayStatus = z.enum(replayStatuses, {
  error: `must be one of ${replayStatuses.join(', ')}`,
});

export const replayRequest = z
  .strictObject({
    since: timestamp.meta({ description: 'Replays deliveries created at or after it.' }),
    until: timestamp.optional().meta({
      description: 'Replays deliveries created before it. Default, and the latest time: now.',
    }),
    status: replayStatus.default('failed').meta({
      description:
        'The status of the deliveries to replay. `failed`: only events that have not been delivered since.',
    }),
    eventTypes: z
      .array(eventType)
      .min(1, 'must name at least one event type')
      .max(100)
      .overwrite((types) => [...new Set(types)])
      .optional()
      .meta({ description: 'The event types to replay. Default: all.', example: ['url.created'] }),
  })
  .meta({ id: 'ReplayRequest' });

const count = z.int().min(0);

export const replayRecord = z
  .object({
    id: uuidText,
    webhookId: uuidText.meta({ description: 'The webhook whose events are delivered again.' }),
    state: z.enum(replayStates).meta({ description: 'Whether the job is running.' }),
    since: instant.meta({ description: 'The start of the time range.' }),
    until: instant.meta({ description: 'The end of the time range (exclusive).' }),
    status: replayStatus.meta({ description: 'The status of the deliveries to replay.' }),
    eventTypes: z.array(eventType).nullable().meta({ description: 'Null for all types.' }),
    total: count.meta({ description: 'Deliveries that match.', example: 10_000 }),
    processed: count.meta({ description: 'Matching deliveries processed so far.', example: 4_200 }),
    created: count.meta({
      description:
        'New deliveries so far. Fewer than processed, because each event is delivered once, and events with a pending delivery are left out.',
      example: 4_100,
    }),
    createdAt: instant.meta({ description: 'When the job started.' }),
    finishedAt: instant
      .nullable()
      .meta({ description: 'When the job ended. Null while it is running.' }),
  })
  .meta({ id: 'Replay' });

const read = { tag: 'Webhooks', access: { scope: 'webhooks:read' } } as const;
const write = { tag: 'Webhooks', access: { scope: 'webhooks:write' } } as const;
const params = z.strictObject({ id: uuidParam });
const replayParams = z.strictObject({
  id: uuidParam,
  replayId: uuid.meta({ description: 'The id of the replay.', param: { id: 'ReplayId' } }),
});
const replayListQuery = z.strictObject(paging);

export const replayRoutes = [
  defineRoute('createReplay', 'POST /api/v1/webhooks/{id}/replay', {
    ...write,
    summary: 'Deliver the events of a time range again',
    description:
      'Starts a background job that creates a new delivery of each event, oldest first. A webhook has one running job. The job waits while 1,000 deliveries of the webhook are due. Available in the plans scale and enterprise.',
    params,
    body: replayRequest,
    responses: { 202: { description: 'The job, which has started', data: replayRecord } },
    errors: ['PLAN_REQUIRED', 'REPLAY_CONFLICT'],
  }),
  defineRoute('listReplays', 'GET /api/v1/webhooks/{id}/replays', {
    ...read,
    summary: "List a webhook's replays, newest first",
    description: 'The latest 100 replays are retained.',
    params,
    query: replayListQuery,
    responses: { 200: { description: 'One page of replays', data: pageOf(replayRecord) } },
  }),
  defineRoute('getReplay', 'GET /api/v1/webhooks/{id}/replays/{replayId}', {
    ...read,
    summary: 'Read a replay and its progress',
    params: replayParams,
    responses: { 200: { description: 'The replay', data: replayRecord } },
  }),
  defineRoute('cancelReplay', 'POST /api/v1/webhooks/{id}/replays/{replayId}/cancel', {
    ...write,
    summary: 'Cancel a replay',
    description:
      'Deliveries that it has created are still sent. A finished replay does not change.',
    params: replayParams,
    responses: { 200: { description: 'The replay', data: replayRecord } },
  }),
] as const;

export type ReplayFilter = ListFilter<z.output<typeof replayListQuery>>;
