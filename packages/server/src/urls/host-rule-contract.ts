import { z } from 'zod';
import { defineRoute, forOperator } from '../contract/define-route.js';
import { displayText, instant, pageOf, paging } from '../contract/fields.js';
import { ruledHost } from './host-rules.js';

/** The most hosts that have rules at once. Each process has all of them in memory. */
export const maxHostRules = 10_000;

const reason = displayText(500, 1).meta({ description: 'Why.', example: 'phishing' });

const request = z.strictObject({
  host: ruledHost,
  reason,
  publicSuffix: z.boolean().default(false).meta({
    description:
      'True to accept a host such as co.uk or github.io, below which anybody can get a name. The rule then concerns all of them.',
    example: false,
  }),
});

const record = z.object({
  host: z.string().meta({ description: 'The host, in lower case.', example: 'evil.example' }),
  reason: z.string().meta({ description: 'Why.', example: 'phishing' }),
  createdAt: instant.meta({ description: 'When the host got its first rule, in UTC.' }),
});

export const blockedHostRequest = request.meta({ id: 'BlockedHostRequest' });
export const blockedHostRecord = record.meta({ id: 'BlockedHost' });
export const allowedHostRequest = request.meta({ id: 'AllowedHostRequest' });
export const allowedHostRecord = record.meta({ id: 'AllowedHost' });

const mostSpecific =
  'The rule of the longest matching name decides: an allowed host below a blocked one is allowed, and * has the hosts without another rule.';
const limits = `At most ${maxHostRules} hosts have rules. A repetition changes the reason.`;
const hostParam = z.strictObject({
  host: ruledHost.meta({ param: { id: 'Host' }, description: 'The host of the rule.' }),
});

export const hostRuleRoutes = [
  defineRoute('blockHost', 'POST /api/v1/admin/blocked-hosts', {
    ...forOperator,
    summary: 'Block a host and its subdomains as targets of links',
    description: `Links to the host cannot be created, and links cannot be changed to lead there. Existing ones answer 451. ${mostSpecific} ${limits} A host that was allowed is blocked.`,
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
    params: hostParam,
    responses: { 200: { description: 'The host that was unblocked', data: blockedHostRecord } },
  }),
  defineRoute('allowHost', 'POST /api/v1/admin/allowed-hosts', {
    ...forOperator,
    summary: 'Allow a host and its subdomains as targets of links, although more is blocked',
    description: `${mostSpecific} Block * to allow these hosts only. ${limits} A host that was blocked is allowed.`,
    body: allowedHostRequest,
    responses: { 201: { description: 'The host is allowed', data: allowedHostRecord } },
    errors: ['QUOTA_EXCEEDED'],
  }),
  defineRoute('listAllowedHosts', 'GET /api/v1/admin/allowed-hosts', {
    ...forOperator,
    summary: 'List allowed hosts, newest first',
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of hosts', data: pageOf(allowedHostRecord) } },
  }),
  defineRoute('disallowHost', 'DELETE /api/v1/admin/allowed-hosts/{host}', {
    ...forOperator,
    summary: 'Delete the rule that allows a host',
    params: hostParam,
    responses: {
      200: { description: 'The host that is no longer allowed', data: allowedHostRecord },
    },
  }),
] as const;
