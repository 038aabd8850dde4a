import { z } from 'zod';
import { defineRoute, forOperator } from '../contract/define-route.js';
import { displayText, instant, pageOf, paging } from '../contract/fields.js';
import { hostInput } from './blocked-hosts.js';

/** The most hosts that are blocked at once. Each process has all of them in memory. */
export const maxBlockedHosts = 10_000;

export const blockedHostRequest = z
  .strictObject({
    host: hostInput,
    reason: displayText(500, 1).meta({ description: 'Why.', example: 'phishing' }),
  })
  .meta({ id: 'BlockedHostRequest' });

export const blockedHostRecord = z
  .object({
    host: z.string().meta({ description: 'The host, in lower case.', example: 'evil.example' }),
    reason: z.string().meta({ description: 'Why.', example: 'phishing' }),
    createdAt: instant.describe('When the host was blocked, in UTC.'),
  })
  .meta({ id: 'BlockedHost' });

export const blockedHostRoutes = [
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
