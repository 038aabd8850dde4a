import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';

const tag = 'Operations';
const health = z
  .object({
    status: z.literal('ok'),
    version: z.string().meta({ description: 'The version of the server.', example: '1.0.0' }),
  })
  .meta({ id: 'Health' });
const readiness = z
  .object({
    status: z.literal('ok'),
    damagedLines: z
      .int()
      .min(0)
      .describe(
        'The number of lines of journals that cannot be stored, such as damaged ones. They are in the file `damaged-lines.ndjson` until it is deleted. All others are counted.',
      ),
  })
  .meta({ id: 'Readiness' });

export const livenessRoute = defineRoute('getLiveness', 'GET /health/live', {
  tag,
  summary: 'Check that the process runs',
  access: 'public',
  audience: 'operator',
  responses: { 200: { description: 'The process runs', body: health } },
});

export const healthRoutes = [
  livenessRoute,
  defineRoute('getReadiness', 'GET /health/ready', {
    tag,
    summary: 'Check that requests can be served',
    description:
      'Returns 503 with the reason while storage cannot be read, visits cannot be stored, webhooks are not dispatched, or the server is starting or stopping.',
    access: 'public',
    audience: 'operator',
    responses: { 200: { description: 'Requests can be served', body: readiness } },
    errors: ['UNAVAILABLE'],
  }),
  defineRoute('getMetrics', 'GET /metrics', {
    tag,
    summary: 'Read metrics',
    access: 'public',
    audience: 'operator',
    responses: {
      200: { description: "Prometheus' text format", mediaType: 'text/plain; version=0.0.4' },
    },
  }),
] as const;
