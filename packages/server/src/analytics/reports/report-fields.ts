import { z } from 'zod';
import { shorten } from '../../contract/api-error.js';
import { type UtmField, utmParameters } from '../../contract/utm-parameters.js';
import { scanMethods } from '../classify/decide-scan.js';
import { deviceTypes } from '../classify/device-types.js';
import { referrerTypes } from '../classify/referrer-types.js';
import { clickDimensions, type Dimension, scanDimensions } from './dimensions.js';

/** Returns the error of a value that breaks a rule. It names the value. */
export function naming(rule: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      `is ${JSON.stringify(shorten(String(input)))}: ${rule}`,
  };
}

const text = z
  .string()
  .normalize()
  .min(1, 'must not be empty')
  .max(253, naming('must be at most 253 characters long'));

const countryRule = 'must be a country code of two letters (ISO 3166-1), or "Unknown"';
const countryFilter = z.string().regex(/^([A-Za-z]{2}|[Uu]nknown)$/, naming(countryRule));
const languageRule = 'must be a language code of two or three letters (ISO 639), or "Unknown"';
const languageFilter = z.string().regex(/^([A-Za-z]{2,3}|[Uu]nknown)$/, naming(languageRule));
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, naming(`must be one of ${values.join(', ')}`));
export const deviceType = oneOf(deviceTypes).meta({ id: 'DeviceType' });
const referrerType = oneOf(referrerTypes).meta({ id: 'ReferrerType' });
const scanMethod = oneOf(scanMethods).meta({ id: 'ScanMethod' });

const utmExamples: Readonly<Record<UtmField, string>> = {
  utmSource: 'newsletter',
  utmMedium: 'email',
  utmCampaign: 'spring-sale',
  utmTerm: 'running shoes',
  utmContent: 'button',
};

function utm(field: UtmField) {
  const description = `\`${utmParameters[field]}\` of the visit's own query, otherwise of the link's target, in lower case. "(none)" without it.`;
  return z.string().meta({ description, example: utmExamples[field] });
}

/** The schemas of the facts of visits, in reports and in events. */
export const fieldSchemas = {
  country: z.string().meta({ description: 'ISO 3166-1 alpha-2, or "Unknown".', example: 'DE' }),
  region: z.string().meta({
    description:
      'The largest subdivision of a country (ISO 3166-2), or "Unknown". If the operator\'s database has no codes, the country and the English name.',
    example: 'DE-BE',
  }),
  city: z
    .string()
    .meta({ description: 'The English name of a city, or "Unknown".', example: 'Berlin' }),
  deviceType,
  browser: z.string().meta({ example: 'Firefox' }),
  os: z.string().meta({ example: 'Android' }),
  referrerType,
  referrerDomain: z
    .string()
    .meta({ description: 'A host, or "(direct)".', example: 'news.example.com' }),
  language: z.string().meta({
    description: 'The primary language of `Accept-Language` (ISO 639), or "Unknown".',
    example: 'de',
  }),
  utmSource: utm('utmSource'),
  utmMedium: utm('utmMedium'),
  utmCampaign: utm('utmCampaign'),
  utmTerm: utm('utmTerm'),
  utmContent: utm('utmContent'),
  variant: z.string().meta({
    description:
      'The rule of the link that chose the target, and the number of its variant if it has several. "(default)" is the target of the link itself.',
    example: 'german/2',
  }),
  scanMethod,
  scannerApp: z.string().meta({
    description: 'The app that read the QR code, or "(none)" when it is unknown.',
    example: 'iOS Camera',
  }),
};

/** The schemas of filters whose values are not any text. */
const filterValues: Readonly<Record<string, z.ZodType<string>>> = {
  country: countryFilter,
  device: deviceType,
  referrerType,
  language: languageFilter,
  scanMethod,
};

type FieldName = keyof typeof fieldSchemas;

interface ReportDimension extends Dimension {
  readonly fields: readonly FieldName[];
}

type ReportDimensions = Readonly<Record<string, ReportDimension>>;

/** The fields of an entry whose names are the same in all breakdowns, for charts and tables. */
const constant = { label: z.string(), count: z.int().min(0) };

type BreakdownsOf<D extends ReportDimensions, Counts extends z.ZodRawShape> = {
  [Name in keyof D]: z.ZodArray<
    z.ZodObject<Pick<typeof fieldSchemas, D[Name]['fields'][number]> & typeof constant & Counts>
  >;
};

/** Returns the schema of the breakdowns of a report. `counts` are the fields with numbers of visits. */
export function breakdownsOf<D extends ReportDimensions, Counts extends z.ZodRawShape>(
  dimensions: D,
  counts: Counts,
): z.ZodObject<BreakdownsOf<D, Counts>> {
  const shape = Object.entries(dimensions).map(([name, { fields }]) => {
    const schemas = Object.fromEntries(fields.map((field) => [field, fieldSchemas[field]]));
    return [name, z.array(z.object({ ...schemas, ...counts, ...constant }))];
  });
  return z.object(Object.fromEntries(shape) as BreakdownsOf<D, Counts>);
}

const maxValues = 20;

/** A query parameter that may be repeated. Selects what has one of the values. */
export function repeated<Item extends z.ZodType>(item: Item) {
  return z
    .preprocess(
      (value) => (Array.isArray(value) || value === undefined ? value : [value]),
      z.array(item).max(maxValues, `must have at most ${maxValues} values`).optional(),
    )
    .optional();
}

type FilterSchema = ReturnType<typeof repeated<z.ZodType<string>>>;

/** The schema of each filter. Reports share it, as OpenAPI's components have a name each. */
const filterSchemas = new Map<string, FilterSchema>();
const reportDimensions: ReportDimensions = { ...clickDimensions, ...scanDimensions };
for (const { filters } of Object.values(reportDimensions)) {
  for (const name of filters) {
    const param = { id: `${name.charAt(0).toUpperCase()}${name.slice(1)}Filter` };
    const description = `Only visits with this ${name}; repeated, with one of these.`;
    filterSchemas.set(name, repeated(filterValues[name] ?? text).meta({ param, description }));
  }
}

/** Returns the query parameters that select visits by these dimensions. */
export function filtersOf<D extends ReportDimensions>(
  dimensions: D,
): Record<D[keyof D]['filters'][number], FilterSchema> {
  const names = Object.values(dimensions).flatMap(({ filters }) => filters);
  const shape = names.map((name) => [name, filterSchemas.get(name)]);
  return Object.fromEntries(shape) as Record<D[keyof D]['filters'][number], FilterSchema>;
}
