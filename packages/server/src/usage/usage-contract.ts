import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { plans } from '../organizations/plans.js';

export const usage = z
  .object({
    period: z.string().meta({ description: 'A calendar month in UTC.', example: '2030-01' }),
    plan: z.enum(Object.keys(plans) as [keyof typeof plans, ...(keyof typeof plans)[]]),
    links: z.object({
      used: z.int().min(0).meta({ description: 'Active links now.' }),
      included: z
        .int()
        .nullable()
        .meta({ description: "The plan's bundle; null without a limit." }),
    }),
  })
  .meta({ id: 'Usage' });

export const usageRoutes = [
  defineRoute({
    operationId: 'getUsage',
    method: 'get',
    path: '/api/v1/usage',
    tag: 'Usage',
    summary: "Read what the organization uses of its plan's links",
    access: 'token',
    responses: { 200: { description: 'The usage now', data: usage } },
  }),
] as const;
