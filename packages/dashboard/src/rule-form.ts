import type { LinkRule } from '@shorty/sdk';
import { linesOf, partsOf } from './texts.js';

/** A rule of a link as rows of conditions. A target, or variants: lines of a weight and a target. */
type RuleForm = {
  readonly name: string;
  readonly conditions: readonly { readonly kind: string; readonly value: string }[];
  readonly target: string;
  readonly variants: string;
};

/** What a rule can ask of a visit, with an example. */
export const conditionKinds: Readonly<Record<string, string>> = {
  country: 'DE, AT',
  device: 'mobile, tablet',
  os: 'iOS, Android',
  browser: 'Safari',
  language: 'de',
  referrer: 'news.example.com',
  query: 'ref=mail',
  after: '2030-01-01T00:00:00Z',
  before: '2030-02-01T00:00:00Z',
};

export const formatRules = (rules: readonly LinkRule[]): readonly RuleForm[] =>
  rules.map(({ name = '', when, targetUrl = '', variants = [] }) => ({
    name,
    conditions: Object.entries(when).map(([kind, value]) => ({ kind, value: textOf(value) })),
    target: targetUrl,
    variants: variants.map((variant) => `${variant.weight} ${variant.targetUrl}`).join('\n'),
  }));

function textOf(condition: unknown): string {
  if (Array.isArray(condition)) return condition.join(', ');
  if (typeof condition !== 'object' || condition === null) return String(condition);
  const parts = Object.entries(condition);
  return parts.map(([name, value]) => (value === true ? name : `${name}=${value}`)).join(', ');
}

export const parseRules = (rules: readonly RuleForm[]): readonly object[] =>
  rules.map(({ name, conditions, target, variants }) => ({
    ...(name !== '' && { name }),
    when: Object.fromEntries(conditions.map(({ kind, value }) => [kind, conditionOf(kind, value)])),
    ...(variants.trim() === ''
      ? { targetUrl: target }
      : { variants: linesOf(variants).map(variantOf) }),
  }));

function conditionOf(kind: string, value: string): unknown {
  if (kind === 'after' || kind === 'before') return value.trim();
  if (kind !== 'query') return partsOf(value);
  const parameters = partsOf(value).map((part) => {
    const [name = '', ...rest] = part.split('=');
    return [name, rest.length === 0 ? true : rest.join('=')];
  });
  return Object.fromEntries(parameters);
}

function variantOf(line: string): object {
  const [weight = '', ...rest] = line.split(/\s+/);
  return { weight: Number(weight), targetUrl: rest.join(' ') };
}
