import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { maxRedirects } from './check-target.js';

/** Links of one request. */
export const maxCheckedLinks = 20;
/** Different targets of a request for several links. */
export const maxCheckedTargets = 40;
/** Targets of an organization in a minute. */
export const checksPerMinute = 300;

const item = z
  .object({
    id: z.string().meta({ description: 'The id of the link.', example: '42' }),
    path: z.string().meta({
      description: 'The field of the link that has the target.',
      example: 'rules[0].targetUrl',
    }),
    targetUrl: z.string().meta({ example: 'https://example.com/spring' }),
    state: z.enum(['alive', 'dead', 'uncertain']).meta({
      description:
        'dead: the target does not exist, its host cannot be reached, or it redirects too often. uncertain: it refused this server or was busy, so people may reach it.',
    }),
    status: z.int().nullable().meta({
      description: 'The status of the last response; null without one.',
      example: 404,
    }),
    error: z.string().nullable().meta({
      description: 'Why there was no response, or no further redirect was followed.',
      example: 'The host name does not exist',
    }),
    redirectsTo: z.string().nullable().meta({
      description: 'The URL to which the target redirects; null if it does not.',
      example: 'https://example.com/home',
    }),
    durationMs: z.int().meta({ description: 'The duration of the check.', example: 120 }),
  })
  .meta({ id: 'TargetCheck' });

const idsRule = `must be 1 to ${maxCheckedLinks} ids of links, separated by commas`;

export const targetCheckRoutes = [
  defineRoute('checkUrlTargets', 'GET /api/v1/urls/check', {
    tag: 'URLs',
    access: { scope: 'urls:read' },
    summary: 'Find dead targets of short links',
    description: `Sends a HEAD request to each different target of the links, and a GET request if that fails, from this server: targetUrl, expiredUrl and those of rules. No body is read, and at most ${maxRedirects} redirects are followed. Private addresses are not reached. At most two requests to a host run at once. A request for several links checks at most ${maxCheckedTargets} targets, and an organization ${checksPerMinute} in a minute.`,
    query: z.strictObject({
      ids: z
        .string()
        .regex(/^[1-9]\d{0,15}(?:,[1-9]\d{0,15})*$/, { error: idsRule })
        .refine((text) => text.split(',').length <= maxCheckedLinks, { error: idsRule })
        .transform((text) => [...new Set(text.split(',').map(Number))])
        .meta({
          override: {
            type: 'string',
            pattern: `^[1-9]\\d{0,15}(?:,[1-9]\\d{0,15}){0,${maxCheckedLinks - 1}}$`,
          },
          description: `The ids of 1 to ${maxCheckedLinks} links, separated by commas.`,
          example: '42',
        }),
    }),
    responses: {
      200: {
        description: 'What the targets answered',
        data: z
          .object({
            items: z.array(item),
            skippedIds: z.array(z.string()).meta({
              description: 'Ids that are not those of links of the organization.',
              example: [],
            }),
          })
          .meta({ id: 'TargetCheckResult' }),
      },
    },
  }),
] as const;
