import { z } from 'zod';
import { defineRoute, forOperator } from '../contract/define-route.js';
import { displayText, instant, pageOf, paging, urlIdParam } from '../contract/fields.js';

const reason = displayText(500, 1).meta({ description: 'Why.', example: 'phishing' });

export const takedownRequest = z
  .strictObject({
    shortUrl: z.string().min(1).max(500).meta({
      description: 'The short URL of the link. A slug or code alone is on the short domain.',
      example: 'https://sho.example/aB3xY9q',
    }),
    reason: reason.describe('Why. The owner of the link sees it.'),
  })
  .meta({ id: 'TakedownRequest' });

export const takedownRecord = z
  .object({
    id: z.string().meta({ description: 'The id of the link.', example: '42' }),
    organizationId: z.string().meta({ format: 'uuid' }),
    shortUrl: z.string().meta({ example: 'https://sho.example/aB3xY9q' }),
    targetUrl: z.string().meta({ example: 'https://evil.example/login' }),
    reason: z.string().meta({ description: 'Why.', example: 'phishing' }),
    createdAt: instant.describe('When the link was taken down, in UTC.'),
  })
  .meta({ id: 'Takedown' });

export const takedownRoutes = [
  defineRoute('takeDownUrl', 'POST /api/v1/admin/takedowns', {
    ...forOperator,
    summary: 'Take down a link of any organization by its short URL',
    description:
      'Visitors get 451 before the response on this node, and within a second on others. The owner sees the reason and cannot undo it. A repetition changes the reason.',
    body: takedownRequest,
    responses: { 201: { description: 'The link is taken down', data: takedownRecord } },
  }),
  defineRoute('listTakedowns', 'GET /api/v1/admin/takedowns', {
    ...forOperator,
    summary: 'List the links that are taken down, newest takedowns first',
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of takedowns', data: pageOf(takedownRecord) } },
  }),
  defineRoute('undoTakedown', 'DELETE /api/v1/admin/takedowns/{id}', {
    ...forOperator,
    summary: 'Undo the takedown of a link',
    params: z.strictObject({ id: urlIdParam }),
    responses: { 200: { description: 'The takedown that was undone', data: takedownRecord } },
  }),
] as const;
