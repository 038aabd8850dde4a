import { z } from 'zod';
import { defineRoute, forOperator } from '../contract/define-route.js';
import { displayText, instant, pageOf, paging, urlIdParam } from '../contract/fields.js';
import { hostInput } from './blocked-hosts.js';

const why = { description: 'Why.', example: 'phishing' };
const reasonInput = displayText(500, 1).meta(why);
const reason = z.string().meta(why);

export const takedownRequest = z
  .strictObject({
    shortUrl: z.string().min(1).max(500).meta({
      description: 'The short URL of the link. A slug or code alone is on the short domain.',
      example: 'https://sho.example/aB3xY9q',
    }),
    reason: reasonInput.describe('Why. The owner of the link sees it.'),
  })
  .meta({ id: 'TakedownRequest' });

export const takedownRecord = z
  .object({
    id: z.string().meta({ description: 'The id of the link.', example: '42' }),
    organizationId: z.string().meta({ format: 'uuid' }),
    shortUrl: z.string().meta({ example: 'https://sho.example/aB3xY9q' }),
    targetUrl: z.string().meta({ example: 'https://evil.example/login' }),
    reason,
    createdAt: instant.describe('When the link was taken down, in UTC.'),
  })
  .meta({ id: 'Takedown' });

/** The most hosts that are blocked at once. Each process has all of them in memory. */
export const maxBlockedHosts = 10_000;

export const blockedHostRequest = z
  .strictObject({
    host: hostInput,
    reason: reasonInput,
  })
  .meta({ id: 'BlockedHostRequest' });

export const blockedHostRecord = z
  .object({
    host: z.string().meta({ description: 'The host, in lower case.', example: 'evil.example' }),
    reason,
    createdAt: instant.describe('When the host was blocked, in UTC.'),
  })
  .meta({ id: 'BlockedHost' });

export const moderationRoutes = [
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

  defineRoute('blockHost', 'POST /api/v1/admin/blocked-hosts', {
    ...forOperator,
    summary: 'Block a host and its subdomains as targets of links',
    description: `Links to the host cannot be created, and links cannot be changed to lead there. Existing ones answer 451. At most ${maxBlockedHosts} hosts are blocked. A repetition changes the reason.`,
    body: blockedHostRequest,
    responses: { 201: { description: 'The host is blocked', data: blockedHostRecord } },
    errors: ['QUOTA_EXCEEDED'],
  }),
  defineRoute('listBlockedHosts', 'GET /api/v1/admin/blocked-hosts', {
    ...forOperator,
    summary: 'List blocked hosts, newest first',
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of hosts', data: pageOf(blockedHostRecord) } },
  }),
  defineRoute('unblockHost', 'DELETE /api/v1/admin/blocked-hosts/{host}', {
    ...forOperator,
    summary: 'Unblock a host',
    params: z.strictObject({
      host: hostInput.meta({ param: { id: 'Host' }, description: 'The blocked host.' }),
    }),
    responses: { 200: { description: 'The host that was unblocked', data: blockedHostRecord } },
  }),
] as const;
