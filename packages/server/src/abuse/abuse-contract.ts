import { z } from 'zod';
import { defineRoute, forOperator } from '../contract/define-route.js';
import { displayText, instant, line, pageOf, paging, uuidParam } from '../contract/fields.js';

/** Why somebody reports a link, by the text of the form. */
export const abuseReasons = {
  phishing: 'It asks for passwords or payment data',
  malware: 'It installs harmful software',
  scam: 'It is a fraud, such as a fake shop',
  spam: 'I got it in unwanted messages',
  illegal: 'It shows illegal content',
  other: 'Something else',
} as const;

export type AbuseReason = keyof typeof abuseReasons;

export const reasonNames = Object.keys(abuseReasons) as [AbuseReason, ...AbuseReason[]];

/** The lengths that the form accepts. */
export const abuseLimits = { url: 500, comment: 1_000, email: 254 } as const;

const reason = z.enum(reasonNames, { error: `must be one of ${reasonNames.join(', ')}` });

const reportFields = {
  url: z.string().trim().min(1).max(abuseLimits.url).meta({
    description: 'The short URL.',
    example: 'https://sho.example/aB3xY9q',
  }),
  reason: reason.meta({ description: 'What is wrong with the link.', example: 'phishing' }),
};

const comment = displayText(abuseLimits.comment).optional();
const commentMeta = {
  description: 'Details for the operator.',
  example: 'It copies the page of my bank.',
};
// Nobody is written to automatically, so this only catches typing errors.
const emailPattern = /^[^\s@]{1,64}@[^\s@]{1,189}$/;
const email = z
  .string()
  .trim()
  .max(abuseLimits.email)
  .regex(emailPattern, { error: 'must be an e-mail address' })
  .optional();
const emailMeta = {
  description: 'Where the operator can ask for details.',
  example: 'me@example.org',
};
// Browsers send empty fields.
const emptyToUndefined = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? undefined : value;

export const abuseReportRequest = z
  .strictObject({
    ...reportFields,
    comment: comment.meta(commentMeta),
    email: email.meta(emailMeta),
  })
  .meta({ id: 'AbuseReportRequest' });

export const abuseReportForm = z
  .object({
    ...reportFields,
    comment: z.preprocess(emptyToUndefined, comment).meta(commentMeta),
    email: z.preprocess(emptyToUndefined, email).meta(emailMeta),
  })
  .meta({ id: 'AbuseReportForm' });

const resolution = z.enum(['dismissed', 'takenDown']);

export const abuseReportRecord = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    shortUrl: z.string().meta({
      description: 'The reported short URL.',
      example: 'https://sho.example/aB3xY9q',
    }),
    reason: z.enum(reasonNames).meta({ description: 'What is wrong with the link.' }),
    comment: z.string().nullable().meta({
      description: 'Details from the visitor.',
      example: 'It copies the page of my bank.',
    }),
    email: z.string().nullable().meta({
      description: 'The e-mail address of the visitor, who need not own it.',
      example: 'me@example.org',
    }),
    createdAt: instant.meta({ description: 'When it was reported, in UTC.' }),
    resolvedAt: instant.nullable().meta({ description: 'When it was resolved; null before.' }),
    resolution: resolution.nullable().meta({ description: 'How it was resolved; null before.' }),
    link: z
      .object({
        id: z.string().meta({ example: '42' }),
        organizationId: z.string().meta({ format: 'uuid' }),
        targetUrl: z.string().meta({ example: 'https://evil.example/login' }),
        isActive: z.boolean(),
        isTakenDown: z.boolean().meta({ description: 'Whether the link is taken down.' }),
      })
      .nullable()
      .meta({ description: 'The link as it is now; null if there is none.' }),
  })
  .meta({ id: 'AbuseReport' });

export const resolveRequest = z
  .strictObject({
    resolution: resolution.meta({
      description:
        'dismissed: nothing happens to the link. takenDown: the link is taken down. All open reports of the same short URL are resolved.',
    }),
    reason: displayText(500, 1).optional().meta({
      description:
        'Why the link is taken down. The owner of the link sees it. Default: the reason of the report.',
      example: 'phishing',
    }),
  })
  .meta({ id: 'AbuseResolutionRequest' });

export const abuseFormQuery = z.object({
  url: line(abuseLimits.url).optional().meta({
    description: 'The short URL that the form begins with.',
    example: 'https://sho.example/aB3xY9q',
  }),
});

const tag = 'Redirects';
const params = z.strictObject({ id: uuidParam });

export const abuseRoutes = [
  defineRoute('showAbuseForm', 'GET /report-abuse', {
    tag,
    summary: 'Show the form that reports a link to the operator',
    description: 'Exists only if SHORTY_OPERATOR_KEY is set.',
    access: 'public',
    isForVisitors: true,
    query: abuseFormQuery,
    responses: { 200: { description: 'The form', mediaType: 'text/html' } },
    errors: ['VALIDATION_FAILED'],
  }),
  defineRoute('reportAbuse', 'POST /report-abuse', {
    tag,
    summary: 'Report a link to the operator',
    description:
      'The response does not tell whether the link exists. A second report of a link from the same address changes nothing while the first is open. An address may send ten reports within ten minutes. Exists only if SHORTY_OPERATOR_KEY is set.',
    access: 'public',
    isForVisitors: true,
    body: abuseReportRequest,
    form: abuseReportForm,
    responses: { 200: { description: 'The report was received', mediaType: 'text/html' } },
    errors: ['RATE_LIMITED', 'METHOD_NOT_ALLOWED'],
  }),
] as const;

export const abuseAdminRoutes = [
  defineRoute('listAbuseReports', 'GET /api/v1/admin/abuse-reports', {
    ...forOperator,
    summary: 'List reports of links by visitors, newest first',
    query: z.strictObject({
      ...paging,
      status: z.enum(['open', 'resolved']).default('open').meta({
        description: 'Open reports, or those that were resolved.',
        example: 'open',
      }),
    }),
    responses: { 200: { description: 'One page of reports', data: pageOf(abuseReportRecord) } },
  }),
  defineRoute('getAbuseReport', 'GET /api/v1/admin/abuse-reports/{id}', {
    ...forOperator,
    summary: 'Read a report of a link',
    params,
    responses: { 200: { description: 'The report', data: abuseReportRecord } },
  }),
  defineRoute('resolveAbuseReport', 'POST /api/v1/admin/abuse-reports/{id}/resolve', {
    ...forOperator,
    summary: 'Dismiss a report, or take its link down',
    description:
      'Resolves all open reports of the same short URL. A report that is resolved can be resolved again, such as to take the link down later. Undo a takedown at /api/v1/admin/takedowns.',
    params,
    body: resolveRequest,
    responses: { 200: { description: 'The resolved report', data: abuseReportRecord } },
  }),
] as const;
