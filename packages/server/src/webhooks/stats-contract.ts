import { z } from 'zod';
import { instant, uuidText } from '../contract/fields.js';
import { failureCauses } from './attempt.js';

const count = z.int().min(0);
const attempts = count.meta({ description: 'The number of attempts.', example: 120 });
const failedAttempts = count.meta({
  description: 'The number of attempts that failed.',
  example: 3,
});

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
