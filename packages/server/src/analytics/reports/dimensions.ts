import type { UtmField } from '../../contract/utm-parameters.js';
import { unknownCountry } from '../classify/country-database.js';
import { cityFieldSeparator } from '../ingest/visit-columns.js';

/**
 * One breakdown of a report, such as by country. `report-fields.ts` has the schemas of its fields and
 * filters. They are not here, because the threads that store visits load no schemas.
 */
export interface Dimension {
  readonly column: string;
  /** The fields of an entry. A value of the column has the value of each field. */
  readonly fields: readonly string[];
  /** The field that names an entry; the first one by default. */
  readonly label?: string;
  /** What is between two fields, if it is not a space. The last field may contain it. */
  readonly separator?: string;
  /** The value of visits whose column is empty. Undefined: none is. */
  readonly none?: string;
  /** True counts values that differ only in case as one, in lower case. */
  readonly ignoresCase?: boolean;
  /** The maximum number of values that a report counts, if it is not the default. */
  readonly maxValues?: number;
  /** The query parameters that select visits by the first fields, in their order. */
  readonly filters: readonly string[];
}

export type Dimensions = Readonly<Record<string, Dimension>>;

const unknownCity = Array(3).fill(unknownCountry).join(cityFieldSeparator);

/** A breakdown whose column, field and filter have the same name. */
export function by<const Name extends string>(name: Name) {
  return { column: name, fields: [name], filters: [name] } as const;
}

function utm<const Field extends UtmField>(field: Field) {
  // Visitors choose these values, and there are five of them.
  return { ...by(field), none: '(none)', ignoresCase: true, maxValues: 50_000 } as const;
}

// A new breakdown, with its filters, is one entry here, and its schemas in `report-fields.ts`.
export const clickDimensions = {
  country: by('country'),
  region: { ...by('region'), none: unknownCountry },
  city: {
    column: 'city',
    fields: ['city', 'region', 'country'],
    separator: cityFieldSeparator,
    none: unknownCity,
    filters: ['city'],
  },
  device: { column: 'deviceType', fields: ['deviceType'], filters: ['device'] },
  browser: by('browser'),
  os: by('os'),
  referrer: {
    column: 'referrer',
    fields: ['referrerType', 'referrerDomain'],
    label: 'referrerDomain',
    filters: ['referrerType', 'referrer'],
  },
  language: { ...by('language'), none: 'Unknown' },
  utmSource: utm('utmSource'),
  utmMedium: utm('utmMedium'),
  utmCampaign: utm('utmCampaign'),
  utmTerm: utm('utmTerm'),
  utmContent: utm('utmContent'),
  variant: { ...by('variant'), none: '(default)' },
} as const satisfies Dimensions;

export const scanDimensions = {
  country: clickDimensions.country,
  device: clickDimensions.device,
  browser: clickDimensions.browser,
  scanMethod: by('scanMethod'),
  scannerApp: by('scannerApp'),
} as const satisfies Dimensions;

export function splitFields(
  { fields, separator = ' ' }: Pick<Dimension, 'fields' | 'separator'>,
  value: string,
): string[] {
  if (fields.length === 1) return [value];
  const parts = value.split(separator);
  const last = fields.length - 1;
  return [...parts.slice(0, last), parts.slice(last).join(separator)];
}

/** Returns the value that a report shows for a text of the column. */
export function shownValue({ none, ignoresCase }: Dimension, stored: string): string {
  if (none !== undefined && stored === '') return none;
  return ignoresCase ? stored.toLowerCase() : stored;
}
