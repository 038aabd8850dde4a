import { z } from 'zod';
import { instant, uuidText } from '../contract/fields.js';
import { failureCauses, maxPendingCounted } from './attempt.js';

const count = z.int().min(0);
const attempts = count.meta({ description: 'The number of attempts.', example: 120 });
const failedAttempts = count.meta({
  description: 'The number of attempts that failed.',
  example: 3,
});
const milliseconds = count.nullable();

export const webhookStats = z
  .object({
    webhookId: uuidText,
    since: instant.describe('The start of the window.'),
    until: instant.describe('The end of the window (exclusive).'),
    totals: z.object({
      attempts,
      failedAttempts,
      successRate: z.number().min(0).max(1).nullable().meta({
        description: 'The share of attempts that succeeded. Null without attempts.',
        example: 0.975,
      }),
      delivered: count.meta({
        description: 'Deliveries that the receiver accepted.',
        example: 117,
      }),
      failed: count.meta({
        description: 'Deliveries whose last attempt failed.',
        example: 0,
      }),
    }),
    responseTimeMs: z
      .object({
        p50: milliseconds.meta({ description: 'The median.', example: 38 }),
        p95: milliseconds.meta({ description: 'The 95th percentile.', example: 215 }),
      })
      .describe('The response times of attempts with a response. Null without one.'),
    failures: z
      .array(
        z.object({
          cause: z.enum(failureCauses).meta({
            description:
              'The class of the status, or why there was no response: `bad_url`, `forbidden_address` (a private address), `dns`, `refused`, `unreachable`, `reset` (the connection was closed), `tls`, `timeout`, `protocol` (no valid HTTP).',
            example: 'status_5xx',
          }),
          attempts,
        }),
      )
      .describe('Failed attempts by cause, the most frequent first.'),
    lastSuccessAt: instant.nullable().describe('When the last attempt succeeded.'),
    pending: z
      .object({
        count: count
          .max(maxPendingCounted)
          .describe(`Deliveries that wait for an attempt now, counted up to ${maxPendingCounted}.`),
        oldestCreatedAt: instant
          .nullable()
          .describe('When the oldest of them was created. Null without one.'),
      })
      .describe('The deliveries that are pending now.'),
    timeseries: z
      .array(
        z
          .object({
            bucket: instant.describe('The start of the bucket.'),
            attempts,
            failedAttempts,
          })
          .meta({ id: 'AttemptBucket' }),
      )
      .describe('The attempts by the hour or day of their delivery, in UTC, without gaps.'),
  })
  .meta({ id: 'WebhookStats' });
