import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { type Meter, planName } from './plans.js';

const count = z.int().min(0);
const included = count.nullable();

const bundled = z
  .object({
    used: count,
    included: included.describe('What the plan includes; null without a limit.'),
    overage: count.describe('The uses beyond what is included.'),
    overageUsd: z.number().min(0).meta({
      description: 'What the overage costs in US dollars, exactly: it is not rounded to cents.',
      example: 0.15,
    }),
  })
  .meta({ id: 'BundledUsage' });

export const usage = z
  .object({
    period: z.string().meta({ description: 'A calendar month in UTC.', example: '2030-01' }),
    plan: planName.describe(
      'The plan that the period is charged by: the plan at its end, or the current plan.',
    ),
    meters: z.object({
      api_call: z
        .object({ used: count })
        .describe(
          'Requests with a valid token, whatever their status. A bulk request counts once.',
        ),
      qr_generated: bundled.describe('QR codes created.'),
      webhook_delivery: bundled.describe(
        'Deliveries that a receiver has acknowledged. Tests and replays are free.',
      ),
    } satisfies Record<Meter, z.ZodType>),
    links: z
      .object({
        used: count.describe('Links that are active now.'),
        included: included.describe("The plan's bundle; null without a limit."),
      })
      .describe('The current state, whatever the period.'),
  })
  .meta({ id: 'Usage' });

export const period = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, such as 2030-01')
  .optional()
  .meta({
    description:
      'A calendar month in UTC. The default is the current month; later ones are refused.',
    example: '2030-01',
    param: { id: 'Period' },
  });

export const usageRoutes = [
  defineRoute('getUsage', 'GET /api/v1/usage', {
    tag: 'Usage',
    summary: "Read the organization's use in a month, and what its plan includes",
    description:
      'Each use is counted exactly once. `api_call` is up to date within half a second, the other meters at once.',
    access: 'token',
    query: z.strictObject({ period }),
    responses: { 200: { description: 'The use in the period', data: usage } },
  }),
] as const;
