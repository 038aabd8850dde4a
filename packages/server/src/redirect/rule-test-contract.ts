import { z } from 'zod';
import { deviceTypes } from '../analytics/classify/device-types.js';
import { defineRoute } from '../contract/define-route.js';
import { line, timestamp, urlIdParam } from '../contract/fields.js';

const condition = z.string().meta({ example: 'country' });

const ruleTest = z
  .object({
    rule: z.string().nullable().meta({
      description:
        "The first rule that matches: its name, or its number. Null: none does, so the visit leads to the link's own target.",
      example: 'german',
    }),
    outcomes: z
      .array(
        z.object({
          variant: z.string().meta({
            description: 'The rule and variant as reports name it.',
            example: 'german/1',
          }),
          location: z.string().meta({
            description: 'Where the visit leads, with the UTM parameters of the link.',
            example: 'https://example.com/de?utm_source=mail',
          }),
          share: z.number().min(0).max(1).meta({
            description: 'The share of such visitors.',
            example: 0.5,
          }),
        }),
      )
      .meta({ description: 'The possible targets. Several if the rule has variants.' }),
    skipped: z
      .array(
        z.object({
          rule: z.string().meta({ description: 'The name or the number of the rule.' }),
          condition: condition.meta({
            description: 'The first condition that the visit does not have.',
          }),
        }),
      )
      .meta({ description: 'The rules before it, which do not match.' }),
  })
  .meta({ id: 'RuleTest' });

const name = line(64, 1).optional();

const query = z.strictObject({
  device: z.enum(deviceTypes).optional().meta({ description: 'The type of device.' }),
  os: name.meta({ description: 'The operating system, as reports name it.', example: 'iOS' }),
  browser: name.meta({ description: 'The browser, as reports name it.', example: 'Safari' }),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be a country code of two letters (ISO 3166-1)')
    .optional()
    .meta({ description: 'The country (ISO 3166-1 alpha-2).', example: 'DE' }),
  language: line(100, 1).optional().meta({
    description: 'The `Accept-Language` of the visit.',
    example: 'de-AT,en;q=0.8',
  }),
  query: line(2_048, 1).optional().meta({
    description: "The visit's own query.",
    example: 'ref=mail&utm_source=poster',
  }),
  referrer: line(253, 1).optional().meta({
    description: 'The host of the referring page.',
    example: 'news.example.com',
  }),
  at: timestamp.optional().meta({ description: 'The time of the visit. Default: now.' }),
});

export const ruleTestRoutes = [
  defineRoute('testUrlRules', 'GET /api/v1/urls/{id}/rules/test', {
    tag: 'URLs',
    access: { scope: 'urls:read' },
    summary: 'Test where the rules of a link lead a visit',
    description:
      'Evaluates the rules of the link for a visit with these properties, by the code that redirects. Counts no visit, and ignores whether the link is active.',
    params: z.strictObject({ id: urlIdParam }),
    query,
    responses: { 200: { description: 'Where the visit leads', data: ruleTest } },
  }),
] as const;

export type RuleTestQuery = z.output<typeof query>;
