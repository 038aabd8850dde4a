import { z } from 'zod';
import { shorten } from '../../contract/api-error.js';
import { type UtmField, utmParameters } from '../../contract/utm-parameters.js';
import { unknownCountry } from '../classify/country-database.js';
import { scanMethods } from '../classify/decide-scan.js';
import { deviceTypes } from '../classify/device-types.js';
import { referrerTypes } from '../classify/referrer-types.js';
import { cityFieldSeparator } from '../ingest/visit-columns.js';

/** One breakdown of a report, such as by country. */
export interface Dimension {
  /** The column whose values are counted. */
  readonly column: string;
  /** The fields of an entry. A value of the column has the value of each field. */
  readonly fields: Readonly<Record<string, z.ZodType<string>>>;
  /** What is between two fields, if it is not a space. The last field may contain it. */
  readonly separator?: string;
  /** The value of pruned visits whose own value was not stored. Undefined: all were. */
  readonly unknown?: string;
  /** The value of visits whose column is empty. Undefined: none is. */
  readonly none?: string;
  /** True counts values that differ only in case as one, in lower case. */
  readonly ignoresCase?: boolean;
  /** The maximum number of values that a report counts, if it is not the default. */
  readonly maxValues?: number;
  /** The maximum number of values that a pruned day stores, if it is not the default. */
  readonly maxDailyValues?: number;
  /** The query parameters that select visits by the first fields, in their order. */
  readonly filters: Readonly<Record<string, z.ZodType<string>>>;
}

/** The breakdowns of a report by their names. */
export type Dimensions = Readonly<Record<string, Dimension>>;

/** Returns the error of a value that breaks a rule. It names the value. */
export function naming(rule: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      `is ${JSON.stringify(shorten(String(input)))}: ${rule}`,
  };
}

const text = z
  .string()
  .min(1, 'must not be empty')
  .max(253, naming('must be at most 253 characters long'));

const country = z
  .string()
  .meta({ description: 'ISO 3166-1 alpha-2, or "Unknown".', example: 'DE' });
const countryRule = 'must be a country code of two letters (ISO 3166-1), or "Unknown"';
const countryFilter = z.string().regex(/^([A-Za-z]{2}|[Uu]nknown)$/, naming(countryRule));
const languageRule = 'must be a language code of two or three letters (ISO 639), or "Unknown"';
const languageFilter = z.string().regex(/^([A-Za-z]{2,3}|[Uu]nknown)$/, naming(languageRule));
const utmExamples: Readonly<Record<UtmField, string>> = {
  utmSource: 'newsletter',
  utmMedium: 'email',
  utmCampaign: 'spring-sale',
  utmTerm: 'running shoes',
  utmContent: 'button',
};
const region = z.string().meta({
  description:
    'The largest subdivision of a country (ISO 3166-2), or "Unknown". If the operator\'s database has no codes, the country and the English name.',
  example: 'DE-BE',
});
const city = z
  .string()
  .meta({ description: 'The English name of a city, or "Unknown".', example: 'Berlin' });
const unknownCity = Array(3).fill(unknownCountry).join(cityFieldSeparator);
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, naming(`must be one of ${values.join(', ')}`));
const deviceType = z.enum(deviceTypes);
const browser = z.string().meta({ example: 'Firefox' });
const os = z.string().meta({ example: 'Android' });
const referrerType = z.enum(referrerTypes);
const referrerDomain = z
  .string()
  .meta({ description: 'A host, or "(direct)".', example: 'news.example.com' });
const scanMethod = z.enum(scanMethods);
const scannerApp = z.string().meta({
  description: 'The app that read the QR code, or "(none)" when it is unknown.',
  example: 'iOS Camera',
});

const language = z.string().meta({
  description: 'The primary language of `Accept-Language` (ISO 639), or "Unknown".',
  example: 'de',
});

const variant = z.string().meta({
  description:
    'The rule of the link that chose the target, and the number of its variant if it has several. "(default)" is the target of the link itself, and "(unknown)" are rare values of pruned days, and days that were pruned before this breakdown existed.',
  example: 'german/2',
});

/** The breakdown by a UTM parameter, whose column and field have the same name. */
function utm<Field extends UtmField>(field: Field) {
  const description = `\`${utmParameters[field]}\` of the visit's own query, otherwise of the link's target, in lower case. "(none)" without it, and "(unknown)" on days that were pruned before this breakdown existed, and for rare values of pruned days.`;
  const value = z.string().meta({ description, example: utmExamples[field] });
  return {
    column: field,
    fields: { [field]: value } as Record<Field, typeof value>,
    unknown: '(unknown)',
    none: '(none)',
    ignoresCase: true,
    // Visitors choose these values, and there are five of them.
    maxValues: 50_000,
    maxDailyValues: 1_000,
    filters: { [field]: text } as Record<Field, typeof text>,
  };
}

// A new breakdown, with its filters, is one entry here.
export const clickDimensions = {
  country: { column: 'country', fields: { country }, filters: { country: countryFilter } },
  region: {
    column: 'region',
    fields: { region },
    unknown: unknownCountry,
    none: unknownCountry,
    filters: { region: text },
  },
  city: {
    column: 'city',
    fields: { city, region, country },
    separator: cityFieldSeparator,
    unknown: unknownCity,
    none: unknownCity,
    filters: { city: text },
  },
  device: { column: 'deviceType', fields: { deviceType }, filters: { device: oneOf(deviceTypes) } },
  browser: { column: 'browser', fields: { browser }, filters: { browser: text } },
  os: { column: 'os', fields: { os }, filters: { os: text } },
  referrer: {
    column: 'referrer',
    fields: { referrerType, referrerDomain },
    unknown: 'other (unknown)',
    filters: { referrerType: oneOf(referrerTypes), referrer: text },
  },
  language: {
    column: 'language',
    fields: { language },
    unknown: 'Unknown',
    none: 'Unknown',
    filters: { language: languageFilter },
  },
  utmSource: utm('utmSource'),
  utmMedium: utm('utmMedium'),
  utmCampaign: utm('utmCampaign'),
  utmTerm: utm('utmTerm'),
  utmContent: utm('utmContent'),
  variant: {
    column: 'variant',
    fields: { variant },
    unknown: '(unknown)',
    none: '(default)',
    filters: { variant: text },
  },
} as const satisfies Dimensions;

export const scanDimensions = {
  country: clickDimensions.country,
  device: clickDimensions.device,
  browser: clickDimensions.browser,
  scanMethod: {
    column: 'scanMethod',
    fields: { scanMethod },
    filters: { scanMethod: oneOf(scanMethods) },
  },
  scannerApp: { column: 'scannerApp', fields: { scannerApp }, filters: { scannerApp: text } },
} as const satisfies Dimensions;

type BreakdownsOf<D extends Dimensions, Counts extends z.ZodRawShape> = {
  [Name in keyof D]: z.ZodArray<z.ZodObject<D[Name]['fields'] & Counts>>;
};

/** Returns the schema of the breakdowns of a report. `counts` are the fields with numbers of visits. */
export function breakdownsOf<D extends Dimensions, Counts extends z.ZodRawShape>(
  dimensions: D,
  counts: Counts,
): z.ZodObject<BreakdownsOf<D, Counts>> {
  const shape = Object.entries(dimensions).map(([name, { fields }]) => [
    name,
    z.array(z.object({ ...fields, ...counts })),
  ]);
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

type FiltersOf<D extends Dimensions> = {
  [Name in keyof D]: keyof D[Name]['filters'];
}[keyof D] &
  string;
type FilterSchema = ReturnType<typeof repeated<z.ZodType<string>>>;

/** The schema of each filter. Reports share it, as OpenAPI's components have a name each. */
const filterSchemas = new Map<string, FilterSchema>();
for (const { filters } of Object.values<Dimension>({ ...clickDimensions, ...scanDimensions })) {
  for (const [name, item] of Object.entries(filters)) {
    const param = { id: `${name.charAt(0).toUpperCase()}${name.slice(1)}Filter` };
    const description = `Only visits with this ${name}; repeated, with one of these.`;
    filterSchemas.set(name, repeated(item).meta({ param, description }));
  }
}

/** Returns the query parameters that select visits by these dimensions. */
export function filtersOf<D extends Dimensions>(dimensions: D): Record<FiltersOf<D>, FilterSchema> {
  const names = Object.values<Dimension>(dimensions).flatMap(({ filters }) => Object.keys(filters));
  const shape = names.map((name) => [name, filterSchemas.get(name)]);
  return Object.fromEntries(shape) as Record<FiltersOf<D>, FilterSchema>;
}

/** How the value of a column has the values of several fields. */
export interface FieldLayout {
  readonly count: number;
  readonly separator: string;
}

export function layoutOf({ fields, separator = ' ' }: Dimension): FieldLayout {
  return { count: Object.keys(fields).length, separator };
}

/** Returns the value of each field. */
export function splitFields({ count, separator }: FieldLayout, value: string): string[] {
  if (count === 1) return [value];
  const parts = value.split(separator);
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

/** Returns the value that a report shows for a text of the column. */
export function shownValue({ none, ignoresCase }: Dimension, stored: string): string {
  if (none !== undefined && stored === '') return none;
  return ignoresCase ? stored.toLowerCase() : stored;
}
