import { z } from 'zod';
import type { LinkOwner } from '../contract/caller.js';
import { defineRoute } from '../contract/define-route.js';
import { line, timestamp, urlIdParam } from '../contract/fields.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock } from '../ports.js';
import { valueRules } from '../urls/rule-conditions.js';
import type { ShortUrl } from '../urls/short-url.js';
import { readsUrls } from '../urls/url-schemas.js';
import { toTarget, utmParametersOf } from './link.js';
import { matchRules, type RuleVisit } from './match-rules.js';

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
          rule: z
            .string()
            .meta({ description: 'The name or the number of the rule.', example: 'german' }),
          condition: condition.meta({
            description: 'The first condition that the visit does not have.',
          }),
        }),
      )
      .meta({ description: 'The rules before it, which do not match.' }),
  })
  .meta({ id: 'RuleTest' });

const optional = <Value extends z.ZodType>(value: Value) =>
  value.optional().meta({ ...value.meta() });

const query = z.strictObject({
  device: optional(valueRules.device),
  os: optional(valueRules.os),
  browser: optional(valueRules.browser),
  country: optional(valueRules.country),
  language: line(100, 1).optional().meta({
    description: 'The `Accept-Language` of the visit.',
    example: 'de-AT,en;q=0.8',
  }),
  query: line(2_048, 1).optional().meta({
    description: "The visit's own query.",
    example: 'ref=mail&utm_source=poster',
  }),
  referrer: optional(valueRules.referrer),
  at: timestamp.optional().meta({ description: 'The time of the visit. Default: now.' }),
});

export const ruleTestRoutes = [
  defineRoute('testUrlRules', 'GET /api/v1/urls/{id}/rules/test', {
    ...readsUrls,
    summary: 'Test where the rules of a link lead a visit',
    description:
      'Evaluates the rules of the link for a visit with these properties, by the code that redirects. Counts no visit, and ignores whether the link is active.',
    params: z.strictObject({ id: urlIdParam }),
    query,
    responses: { 200: { description: 'Where the visit leads', data: ruleTest } },
  }),
] as const;

export type RuleTestQuery = z.output<typeof query>;

export interface RuleTestOptions {
  readonly getUrl: (owner: LinkOwner, id: number) => Promise<ShortUrl>;
  readonly clock: Clock;
}

/** The name of the link's own target in reports. */
const ownTarget = '(default)';

export function ruleTestHandlers({
  getUrl,
  clock,
}: RuleTestOptions): HandlersOf<typeof ruleTestRoutes> {
  return {
    async testUrlRules({ caller, params, query }) {
      const url = await getUrl(caller, params.id);
      const { rule = null, targets, skipped } = matchRules(url.rules, toVisit(query, clock()));
      const own = { targetUrl: url.targetUrl, weight: 1, variant: ownTarget };
      const outcomes = rule === null ? [own] : targets;
      const total = outcomes.reduce((sum, { weight }) => sum + weight, 0);
      return {
        status: 200,
        data: {
          rule,
          outcomes: outcomes.map(({ targetUrl, weight, variant }) => ({
            variant,
            location: toTarget(targetUrl, utmParametersOf(url), variant).location,
            share: weight / total,
          })),
          skipped: [...skipped],
        },
      };
    },
  };
}

/** Returns a visit with these properties. The others are unknown, as for a visit without headers. */
function toVisit(asked: RuleTestQuery, now: number): RuleVisit {
  const { device, os, browser, country, language, query, referrer, at } = asked;
  return {
    visitedAt: at === undefined ? now : Date.parse(at),
    query: query ?? '',
    acceptLanguage: language,
    facts: {
      deviceType: device ?? 'other',
      os: os ?? 'Unknown',
      browser: browser ?? 'Unknown',
      country: country ?? 'Unknown',
      referrerDomain: referrer ?? '(direct)',
      visitorKey: null,
      addressKey: '',
    },
  };
}
