import { z } from 'zod';
import { deviceTypes } from '../analytics/classify/device-types.js';
import { normalizeHost } from '../analytics/classify/normalize-host.js';
import { shorten } from '../contract/api-error.js';
import { atMost, line, plainLine, timestamp } from '../contract/fields.js';
import { hostInput } from './blocked-hosts.js';

const maxValues = 50;
const maxParameters = 10;
const maxParameterLength = 200;

/** Says about an invalid value what it must be. */
const mustBe = (rule: string) => ({
  error: ({ input }: { input?: unknown }) =>
    `is ${JSON.stringify(shorten(String(input)))}: it must be ${rule}`,
});

/** One value, or a list of values of which a visit must have one. Becomes a list without repetitions. */
function oneOrMore<Value extends z.ZodType<string>>(value: Value) {
  const { override, description, example, ...limits } = value.meta() ?? {};
  const item = override ?? { type: 'string', ...limits };
  const list = z
    .array(value)
    .min(1, 'must not be empty')
    .max(maxValues, `must have at most ${maxValues} values`)
    .transform((values) => [...new Set(values)]);
  return z
    .unknown()
    .transform((input) => (Array.isArray(input) ? input : [input]) as z.input<typeof list>)
    .pipe(list)
    .meta({
      override: { oneOf: [item, { type: 'array', items: item, minItems: 1, maxItems: maxValues }] },
      description: `${description} One value, or a list of which a visit must have one.`,
      example,
    })
    .optional();
}

const name = plainLine(64, 1).refine(
  (text) => text.trim() === text,
  'must not begin or end with a space',
);
const languageTag = /^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$/;

/** The conditions that have one value or a list of them. */
export const valueRules = {
  device: z
    .string()
    .toLowerCase()
    .pipe(z.enum(deviceTypes, mustBe(`one of ${deviceTypes.join(', ')}`)))
    .meta({
      override: { type: 'string', enum: [...deviceTypes] },
      description: 'The type of device.',
      example: 'mobile',
    }),
  os: name.meta({
    description: 'The operating system, as reports name it, in any case.',
    example: 'iOS',
  }),
  browser: name.meta({
    description: 'The browser, as reports name it, in any case.',
    example: 'Firefox',
  }),
  country: z
    .string()
    .toUpperCase()
    .refine(
      (code) => countryCodes.has(code),
      mustBe('a country code of two letters (ISO 3166-1), such as DE'),
    )
    .meta({
      override: { type: 'string', pattern: '^[A-Za-z]{2}$' },
      description: 'The country of the address (ISO 3166-1 alpha-2).',
      example: 'DE',
    }),
  language: z
    .string()
    .regex(
      languageTag,
      mustBe('a language code (ISO 639), also with a script or region, such as de or pt-BR'),
    )
    .meta({
      override: { type: 'string', pattern: languageTag.source },
      description:
        'The first language of `Accept-Language`. A code such as de also matches de-AT; pt-BR matches only itself and its variants.',
      example: 'de',
    }),
  // As visits have it: without `www.`.
  referrer: hostInput.transform(normalizeHost).meta({
    override: { type: 'string', minLength: 1, maxLength: 253 },
    description: 'The host of the referring page, subdomains included.',
    example: 'news.example.com',
  }),
};

const parameterRule = `must be a text of at most ${maxParameterLength} characters on one line, or true for any value`;

/** What a visit must have, in a request. Each condition is optional; all that are given must hold. */
export const ruleConditions = z.strictObject({
  device: oneOrMore(valueRules.device),
  os: oneOrMore(valueRules.os),
  browser: oneOrMore(valueRules.browser),
  country: oneOrMore(valueRules.country),
  language: oneOrMore(valueRules.language),
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
  referrer: oneOrMore(valueRules.referrer),
  after: timestamp.optional().describe('Matches visits at or after this time.'),
  before: timestamp.optional().describe('Matches visits before this time.'),
});

export type RuleConditions = z.output<typeof ruleConditions>;

/** Returns whether a host is another one, or below it. */
export function isWithinHost(host: string, above: string): boolean {
  return host === above || host.endsWith(`.${above}`);
}

// ISO 3166-1 alpha-2, and XK for Kosovo, which databases of countries use.
const codes =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW XK';

export const countryCodes: ReadonlySet<string> = new Set(codes.split(' '));
