import { z } from 'zod';
import { type DeviceType, deviceTypes } from '../analytics/classify/device-types.js';
import { normalizeHost } from '../analytics/classify/normalize-host.js';
import { shorten } from '../contract/api-error.js';
import { atMost, line, timestamp } from '../contract/fields.js';
import { parseHost } from './blocked-hosts.js';
import { countryCodes } from './country-codes.js';

const maxValues = 50;
const maxNameLength = 64;
const maxParameters = 10;
const maxParameterLength = 200;

/** The values of a condition. */
interface ValuesRule<Value extends string> {
  /** Returns undefined for an invalid value. */
  readonly parse: (text: string) => Value | undefined;
  /** Returns what an invalid value must be. */
  readonly ruleFor: (text: string) => string;
  /** The schema of a value in OpenAPI. */
  readonly openApi: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly example: string;
}

/** One value, or a list of values of which a visit must have one. Becomes a list without repetitions. */
function oneOrMore<Value extends string>(options: ValuesRule<Value>) {
  const { parse, openApi, description, example } = options;
  const item = { type: 'string', ...openApi };
  return z
    .unknown()
    .transform((input, context): Value[] => {
      const list: readonly unknown[] = Array.isArray(input) ? input : [input];
      const refuse = (message: string, path: readonly number[] = []) =>
        context.addIssue({ code: 'custom', message, path: [...path] });
      if (list.length === 0) refuse('must not be empty, because the rule would never match');
      if (list.length > maxValues) {
        refuse(`must have at most ${maxValues} values`);
        return z.NEVER;
      }
      const values = new Set<Value>();
      for (const [index, each] of list.entries()) {
        const value = typeof each === 'string' ? parse(each) : undefined;
        if (value === undefined) {
          // One error is enough: each takes time, and a rule can have hundreds of values.
          refuse(errorOf(options, each), Array.isArray(input) ? [index] : []);
          return z.NEVER;
        }
        values.add(value);
      }
      return [...values];
    })
    .meta({
      override: { oneOf: [item, { type: 'array', items: item, minItems: 1, maxItems: maxValues }] },
      description: `${description} One value, or a list of which a visit must have one.`,
      example,
    });
}

function errorOf({ ruleFor }: Pick<ValuesRule<string>, 'ruleFor'>, value: unknown): string {
  if (typeof value === 'string')
    return `is ${JSON.stringify(shorten(value))}: it ${ruleFor(value)}`;
  return `is ${shorten(String(JSON.stringify(value)))}: it ${ruleFor('')}`;
}

/** One value of a condition, for the query of a request. */
export function oneValue<Value extends string>(options: ValuesRule<Value>) {
  const { parse, openApi, description, example } = options;
  return z
    .string()
    .transform((text, context): Value => {
      const value = parse(text);
      if (value !== undefined) return value;
      context.addIssue({ code: 'custom', message: errorOf(options, text) });
      return z.NEVER;
    })
    .optional()
    .meta({ override: { type: 'string', ...openApi }, description, example });
}

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const scriptNames = new Intl.DisplayNames('en', { type: 'script', fallback: 'none' });
const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const languageTag = /^([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?$/i;

/** Returns a language tag in its usual case, such as `pt-BR`; undefined for an unknown one. */
export function parseLanguageTag(text: string): string | undefined {
  const [, language, script, region] = languageTag.exec(text) ?? [];
  const primary = language?.toLowerCase();
  if (primary === undefined || languageNames.of(primary) === undefined) return undefined;
  if (shortCodeOf(primary) !== undefined) return undefined;
  const country = region?.toUpperCase();
  if (country?.length === 2 && !countryCodes.has(country)) return undefined;
  if (country?.length === 3 && regionNames.of(country) === undefined) return undefined;
  const title = script && script.charAt(0).toUpperCase() + script.slice(1).toLowerCase();
  if (title !== undefined && scriptNames.of(title) === undefined) return undefined;
  return [primary, title, country].filter(Boolean).join('-');
}

/** Returns the code of two letters of a language by its code of three, which browsers do not send. */
function shortCodeOf(language: string): string | undefined {
  if (language.length !== 3) return undefined;
  const [canonical = ''] = Intl.getCanonicalLocales(language);
  return canonical.length === 2 ? canonical : undefined;
}

function languageRule(text: string): string {
  const [, language = ''] = languageTag.exec(text) ?? [];
  const short = shortCodeOf(language.toLowerCase());
  return short === undefined
    ? 'must be a language code (ISO 639), also with a script or region, such as de or pt-BR'
    : `must begin with ${JSON.stringify(short)}, as browsers send it, or the rule can never match`;
}

function parseCountry(text: string): string | undefined {
  const code = text.toUpperCase();
  return countryCodes.has(code) ? code : undefined;
}

function parseDevice(text: string): DeviceType | undefined {
  return deviceTypes.find((type) => type === text.toLowerCase());
}

function parseName(text: string): string | undefined {
  const isName = text.trim() === text && /^[^\p{Cc}]{1,64}$/u.test(text) && text.isWellFormed();
  return isName ? text : undefined;
}

// The parser of URLs accepts names that no page has, such as (direct).
const hostOfPage = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;

/** Returns a host as visits have it: without `www.`. */
function parseReferrerHost(text: string): string | undefined {
  const host = parseHost(text);
  return host !== undefined && hostOfPage.test(host) ? normalizeHost(host) : undefined;
}

const nameOpenApi = { minLength: 1, maxLength: maxNameLength };
const nameRule = `must be the name of a breakdown, 1 to ${maxNameLength} characters on one line`;

/** A name in reports. */
const reportedName = { parse: parseName, ruleFor: () => nameRule, openApi: nameOpenApi };

/** The conditions that have one value or a list of them, except for the language. */
export const valueRules = {
  device: {
    parse: parseDevice,
    ruleFor: () => `must be one of ${deviceTypes.join(', ')}`,
    openApi: { enum: [...deviceTypes] },
    description: 'The type of device.',
    example: 'mobile',
  },
  os: {
    ...reportedName,
    description: 'The operating system, as reports name it, in any case.',
    example: 'iOS',
  },
  browser: {
    ...reportedName,
    description: 'The browser, as reports name it, in any case.',
    example: 'Firefox',
  },
  country: {
    parse: parseCountry,
    ruleFor: () => 'must be a country code of two letters (ISO 3166-1), such as DE',
    openApi: { pattern: '^[A-Za-z]{2}$' },
    description: 'The country of the address (ISO 3166-1 alpha-2).',
    example: 'DE',
  },
  referrer: {
    parse: parseReferrerHost,
    ruleFor: () => 'must be a host name alone, such as news.example.com',
    openApi: { minLength: 1, maxLength: 253 },
    description: 'The host of the referring page, subdomains included.',
    example: 'news.example.com',
  },
};

const parameterRule = `must be a text of at most ${maxParameterLength} characters on one line, or true for any value`;

/** What a visit must have, in a request. Each condition is optional; all that are given must hold. */
export const ruleConditions = z
  .strictObject({
    device: oneOrMore(valueRules.device).optional(),
    os: oneOrMore(valueRules.os).optional(),
    browser: oneOrMore(valueRules.browser).optional(),
    country: oneOrMore(valueRules.country).optional(),
    language: oneOrMore({
      parse: parseLanguageTag,
      ruleFor: languageRule,
      openApi: { pattern: '^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$' },
      description:
        'The first language of `Accept-Language`. A code such as de also matches de-AT; pt-BR matches only itself and its variants.',
      example: 'de',
    }).optional(),
    query: atMost(
      maxParameters,
      `must have at most ${maxParameters} parameters`,
      z
        .record(
          line(maxParameterLength, 1),
          z.union([line(maxParameterLength), z.literal(true)], { error: parameterRule }),
        )
        .refine((query) => Object.keys(query).length > 0, 'must name at least one parameter'),
    )
      .optional()
      .meta({
        override: {
          type: 'object',
          propertyNames: { type: 'string', minLength: 1, maxLength: maxParameterLength },
          additionalProperties: {
            oneOf: [
              { type: 'string', maxLength: maxParameterLength },
              { type: 'boolean', const: true },
            ],
          },
          minProperties: 1,
          maxProperties: maxParameters,
        },
        description:
          "Query parameters of the visit's URL by name, all of which it must have: with this value, or with any for true. Names and values are case-sensitive.",
        example: { ref: 'mail' },
      }),
    referrer: oneOrMore(valueRules.referrer).optional(),
    after: timestamp.optional().meta({ description: 'Matches visits at or after this time.' }),
    before: timestamp.optional().meta({ description: 'Matches visits before this time.' }),
  })
  .superRefine(({ after, before }, context) => {
    if (after === undefined || before === undefined || after < before) return;
    const message = `is ${before}: it must be later than after (${after}), or the rule can never match`;
    context.addIssue({ code: 'custom', path: ['before'], message });
  });

export type RuleConditions = z.output<typeof ruleConditions>;

/** Returns whether a host is another one, or below it. */
export function isWithinHost(host: string, above: string): boolean {
  return host === above || host.endsWith(`.${above}`);
}
