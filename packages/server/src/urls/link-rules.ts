import { z } from 'zod';
import { deviceType } from '../analytics/reports/report-fields.js';
import { atMost, instant, integer } from '../contract/fields.js';
import { targetUrl } from '../network/target-url.js';
import { ruleConditions } from './rule-conditions.js';

const maxRules = 20;
const maxVariants = 10;
const maxWeight = 1_000_000;
const maxNameLength = 50;
/** The rules of one link in JSON. A list of links may have a hundred of them. */
const maxRulesBytes = 16_384;

// It begins with a letter, because a rule without a name is named by its number.
const name = z
  .string()
  .min(1, 'must not be empty')
  .max(maxNameLength, `must be at most ${maxNameLength} characters long`)
  .regex(
    /^[A-Za-z][A-Za-z0-9._-]*$/,
    'must begin with a letter and consist of letters, digits, periods, underscores and hyphens (A-Z a-z 0-9 . _ -)',
  )
  .meta({
    description:
      'The name of the rule in reports. Names of one link differ, in any case. Without it, the number of the rule.',
    example: 'german',
  });

const weight = integer(0, maxWeight).meta({
  description: "The variant's share of the visitors, in relation to the sum of all weights.",
  example: 50,
});

const variantsRule = `must be a list of 1 to ${maxVariants} variants`;
const variant = z.strictObject({ targetUrl, weight }).meta({ id: 'LinkVariantRequest' });
const variants = z
  .array(variant, { error: variantsRule })
  .min(1, variantsRule)
  .max(maxVariants, variantsRule)
  .refine((list) => list.length === 0 || list.some((each) => each.weight !== 0), {
    message: 'must have a weight above 0: the weights sum to 0, so no variant could be chosen',
  })
  .describe('Targets that visitors are divided among. A visitor stays with their variant.');

const linkRule = z
  .strictObject({
    name: name.nullish(),
    when: ruleConditions.describe(
      'What a visit must have. All conditions must hold; without any, all visits match.',
    ),
    targetUrl: targetUrl.nullish(),
    variants: variants.nullish(),
  })
  .superRefine((rule, context) => {
    if ((rule.targetUrl == null) !== (rule.variants == null)) return;
    const message =
      rule.targetUrl == null
        ? 'must have targetUrl or variants'
        : 'must have targetUrl or variants, not both';
    context.addIssue({ code: 'custom', path: [], message });
  })
  .transform(({ name: given, when, targetUrl: target, variants: list }) => ({
    ...(given != null && { name: given }),
    when,
    ...(target != null && { targetUrl: target }),
    ...(list != null && { variants: list }),
  }))
  .meta({ id: 'LinkRuleRequest' });

export type LinkRule = z.output<typeof linkRule>;

const rulesRule = `must be a list of at most ${maxRules} rules`;

export const linkRules = z
  .preprocess(
    (input, context) => {
      const message = Array.isArray(input) ? findSizeError(input) : undefined;
      if (message !== undefined) context.addIssue({ code: 'custom', message });
      return input;
    },
    atMost(maxRules, rulesRule, z.array(linkRule, { error: rulesRule })).superRefine(checkNames),
  )
  .meta({
    description: `Other targets for some visits, at most ${maxRules} rules and ${maxRulesBytes} bytes of JSON. The first rule that matches a visit decides its target; the link's own target is for all other visits. UTM parameters of the link are set on each target.`,
    example: [
      { name: 'german', when: { country: ['DE'] }, targetUrl: 'https://example.com/de' },
      {
        name: 'test',
        when: {},
        variants: [
          { targetUrl: 'https://example.com/a', weight: 50 },
          { targetUrl: 'https://example.com/b', weight: 50 },
        ],
      },
    ],
  });

const texts = (description: string) => z.array(z.string()).optional().meta({ description });

const variantRecord = z
  .object({
    targetUrl: z.string(),
    weight: z.int().min(0).describe("The variant's share, in relation to the sum of all weights."),
  })
  .meta({ id: 'LinkVariant' });

const ruleRecord = z
  .object({
    name: z.string().optional().describe('The name of the rule in reports.'),
    when: z
      .object({
        device: z.array(deviceType).optional().describe('The types of devices.'),
        os: texts('The operating systems.'),
        browser: texts('The browsers.'),
        country: texts('The countries (ISO 3166-1 alpha-2).'),
        language: texts('The first languages of `Accept-Language`.'),
        query: z
          .record(z.string(), z.union([z.string(), z.literal(true)]))
          .optional()
          .describe('The query parameters; true stands for any value.'),
        referrer: texts('The hosts of the referring page, subdomains included.'),
        after: instant.optional().describe('Matches visits at or after this time.'),
        before: instant.optional().describe('Matches visits before this time.'),
      })
      .describe('What a visit must have.'),
    targetUrl: z.string().optional(),
    variants: z
      .array(variantRecord)
      .optional()
      .describe('Targets that visitors are divided among.'),
  })
  .meta({ id: 'LinkRule' });

export const ruleRecords = z
  .array(ruleRecord)
  .describe("Other targets for some visits. Empty: all visits lead to the link's own target.");

function findSizeError(rules: readonly unknown[]): string | undefined {
  let length = 0;
  // Leaves out what follows the limit: 4 MB of unpaired surrogates take 100 ms.
  const text = JSON.stringify(rules, (name, value: unknown) => {
    length += name.length + (typeof value === 'string' ? value.length : 1);
    return length > maxRulesBytes ? undefined : value;
  });
  if (length <= maxRulesBytes && Buffer.byteLength(text) <= maxRulesBytes) return undefined;
  return `must take at most ${maxRulesBytes} bytes as JSON`;
}

function checkNames(rules: readonly LinkRule[], context: z.RefinementCtx): void {
  for (const [index, { name: given }] of rules.entries()) {
    const isSame = (each: LinkRule) => each.name?.toLowerCase() === given?.toLowerCase();
    const same = rules.findIndex(isSame);
    if (given === undefined || same === index) continue;
    const message = `is ${JSON.stringify(given)}: rules[${same}] has this name, and names must differ`;
    context.addIssue({ code: 'custom', path: [index, 'name'], message });
  }
}

/** Returns the name of a rule in reports. */
export function labelOf(rules: readonly LinkRule[], index: number): string {
  return rules[index]?.name ?? String(index + 1);
}

export interface LinkTarget {
  readonly path: string;
  readonly targetUrl: string;
}

export function targetsOfRules(rules: readonly LinkRule[]): LinkTarget[] {
  return rules.flatMap(({ targetUrl, variants = [] }, index): LinkTarget[] => {
    const path = `rules[${index}]`;
    if (targetUrl !== undefined) return [{ path: `${path}.targetUrl`, targetUrl }];
    return variants.map((variant, at) => ({
      path: `${path}.variants[${at}].targetUrl`,
      targetUrl: variant.targetUrl,
    }));
  });
}

export function targetsOf(url: {
  readonly targetUrl?: string | undefined;
  readonly expiredUrl?: string | null | undefined;
  readonly rules?: readonly LinkRule[] | null | undefined;
}): LinkTarget[] {
  const { targetUrl, expiredUrl, rules } = url;
  const own = targetUrl === undefined ? [] : [{ path: 'targetUrl', targetUrl }];
  if (expiredUrl != null) own.push({ path: 'expiredUrl', targetUrl: expiredUrl });
  return rules ? [...own, ...targetsOfRules(rules)] : own;
}
