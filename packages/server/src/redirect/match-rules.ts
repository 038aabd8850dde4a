import { hash } from 'node:crypto';
import type { VisitFacts } from '../analytics/classify/describe-visit.js';
import { type LinkRule, labelOf } from '../urls/link-rules.js';
import { isWithinHost, type RuleConditions } from '../urls/rule-conditions.js';

export interface RuleVisit {
  /** In milliseconds since 1970. */
  readonly visitedAt: number;
  readonly facts: Pick<
    VisitFacts,
    'deviceType' | 'os' | 'browser' | 'country' | 'referrerDomain' | 'visitorKey' | 'addressKey'
  >;
  /** The visit's own query, with or without the question mark. */
  readonly query: string;
  readonly acceptLanguage: string | undefined;
}

interface ParsedVisit extends RuleVisit {
  /** Parses the query at the first call. */
  readonly parameters: () => URLSearchParams;
}

/** A target of a rule. Reports name the rule and its variant. */
export interface RuleTarget {
  readonly targetUrl: string;
  readonly weight: number;
  readonly variant: string;
}

/** The first rule that matches a visit, and the rules before it, each with a condition that the visit lacks. */
export interface RuleMatch {
  /** Its name, or its number; undefined if no rule matches. */
  readonly rule: string | undefined;
  readonly targets: readonly RuleTarget[];
  readonly skipped: readonly { readonly rule: string; readonly condition: string }[];
}

const conditions: {
  readonly [Name in keyof RuleConditions]-?: (
    wanted: NonNullable<RuleConditions[Name]>,
    visit: ParsedVisit,
  ) => boolean;
} = {
  device: (types, { facts }) => types.some((type) => type === facts.deviceType),
  os: (names, { facts }) => includesText(names, facts.os),
  browser: (names, { facts }) => includesText(names, facts.browser),
  country: (codes, { facts }) => codes.includes(facts.country),
  language(tags, { acceptLanguage }) {
    const first = firstLanguage(acceptLanguage);
    return tags.some((tag) => `${first}-`.startsWith(`${tag.toLowerCase()}-`));
  },
  referrer: (hosts, { facts }) => hosts.some((host) => isWithinHost(facts.referrerDomain, host)),
  query: (wanted, { query, parameters }) =>
    query.length > 1 &&
    Object.entries(wanted).every(([name, value]) =>
      value === true ? parameters().has(name) : parameters().getAll(name).includes(value),
    ),
  after: (instant, { visitedAt }) => visitedAt >= Date.parse(instant),
  before: (instant, { visitedAt }) => visitedAt < Date.parse(instant),
};

// A longer query is truncated, so that a visit takes bounded time.
const maxQueryLength = 4_096;

export function matchRules(rules: readonly LinkRule[], visit: RuleVisit): RuleMatch {
  let parameters: URLSearchParams | undefined;
  const parsed: ParsedVisit = {
    ...visit,
    parameters() {
      parameters ??= new URLSearchParams(visit.query.slice(0, maxQueryLength));
      return parameters;
    },
  };
  const skipped: { rule: string; condition: string }[] = [];
  for (const [index, rule] of rules.entries()) {
    const label = labelOf(rules, index);
    const condition = findUnmet(rule.when, parsed);
    if (condition === undefined) return { rule: label, targets: targetsOf(rule, label), skipped };
    skipped.push({ rule: label, condition });
  }
  return { rule: undefined, targets: [], skipped };
}

/**
 * Returns the target of a visitor. The share of visitors that a target gets is its weight. A visitor always
 * gets the same target of a link, and independent ones of different links. When weights change, only the visitors between
 * the old and the new shares get another target.
 */
export function chooseTarget(
  urlId: number,
  targets: readonly RuleTarget[],
  { visitorKey, addressKey }: RuleVisit['facts'],
): RuleTarget | undefined {
  if (targets.length < 2) return targets[0];
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  let position = positionOf(urlId, visitorKey ?? addressKey) * total;
  return targets.find(({ weight }) => {
    position -= weight;
    return position < 0;
  });
}

/** Returns the first condition that a visit lacks. */
function findUnmet(when: RuleConditions, visit: ParsedVisit): string | undefined {
  return (Object.keys(when) as (keyof RuleConditions)[]).find((name) => {
    const holds = conditions[name] as (wanted: unknown, visit: ParsedVisit) => boolean;
    return !holds(when[name], visit);
  });
}

function targetsOf({ targetUrl, variants }: LinkRule, label: string): RuleTarget[] {
  return (
    variants?.map((variant, index) => ({ ...variant, variant: `${label}/${index + 1}` })) ?? [
      { targetUrl: targetUrl as string, weight: 1, variant: label },
    ]
  );
}

function includesText(names: readonly string[], text: string): boolean {
  const lower = text.toLowerCase();
  return names.some((name) => name.toLowerCase() === lower);
}

const firstRange = /^\s*([a-z]{2,3}(?:-[a-z0-9]{1,8}){0,8})(?=[,;\s]|$)/i;

/** Returns the first language range of `Accept-Language` in lower case, or the empty text. */
function firstLanguage(header: string | undefined): string {
  return (header && firstRange.exec(header)?.[1]?.toLowerCase()) || '';
}

/** Returns a number from 0 to below 1 for a visitor of a link. */
function positionOf(urlId: number, visitorKey: string): number {
  return hash('sha256', `${urlId} ${visitorKey}`, 'buffer').readUInt32BE() / 2 ** 32;
}
