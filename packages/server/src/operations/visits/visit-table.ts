import type { ScannedUrl } from '../../analytics/ingest/scanned-url.js';
import { byCodeFlag, type VisitColumns } from '../../analytics/ingest/visit-columns.js';
import {
  clickDimensions,
  type Dimension,
  layoutOf,
  shownValue,
  splitFields,
} from '../../analytics/reports/dimensions.js';
import { allTime } from '../../analytics/reports/report-window.js';
import { selectClicks, selectScans } from '../../analytics/reports/visit-measures.js';
import type { Schema } from '../../storage/database.js';

export type CellType = 'timestamp' | 'integer' | 'boolean' | 'text' | 'key';
export type Cell = number | bigint | boolean | string | null;

/** The columns of exported visits. Values are those of reports. */
const columnTypes = {
  visited_at: 'timestamp',
  url_id: 'integer',
  organization_id: 'text',
  short_code: 'text',
  custom_slug: 'text',
  by_short_code: 'boolean',
  kind: 'text',
  reason: 'text',
  country: 'text',
  region: 'text',
  city: 'text',
  device_type: 'text',
  browser: 'text',
  os: 'text',
  referrer_type: 'text',
  referrer_domain: 'text',
  language: 'text',
  utm_source: 'text',
  utm_medium: 'text',
  utm_campaign: 'text',
  utm_term: 'text',
  utm_content: 'text',
  variant: 'text',
  method: 'text',
  scan_method: 'text',
  scanner_app: 'text',
  certainty: 'text',
  visitor_key: 'key',
  address_key: 'key',
} as const satisfies Record<string, CellType>;
type ColumnName = keyof typeof columnTypes;

/** The link of visits. */
export type VisitedLink = Pick<
  Schema['urls'],
  'id' | 'organization_id' | 'short_code' | 'custom_slug'
>;

/** The visits of one link that a table gets. */
export interface LinkVisits {
  readonly columns: VisitColumns;
  readonly indexes: Uint32Array;
  readonly link: VisitedLink;
  /** The link with its QR codes, if it has, or had, some. */
  readonly scannedUrl: ScannedUrl | undefined;
}

/** Visits as a table. The keys of visitors are left out if `hasKeys` is false. */
export class VisitTable {
  readonly columns: readonly {
    readonly name: ColumnName;
    readonly type: CellType;
    readonly cells: Cell[];
  }[];

  constructor(hasKeys: boolean) {
    this.columns = Object.entries(columnTypes)
      .filter(([, type]) => hasKeys || type !== 'key')
      .map(([name, type]) => ({ name: name as ColumnName, type, cells: [] }));
  }

  get length(): number {
    return this.columns[0]?.cells.length ?? 0;
  }

  add(visits: LinkVisits): void {
    const readers = readersOf(visits);
    for (const { name, cells } of this.columns) {
      const read = readers[name];
      for (const index of visits.indexes) cells.push(read(index));
    }
  }

  clear(): void {
    for (const { cells } of this.columns) cells.length = 0;
  }
}

type Reader = (index: number) => Cell;

/** Returns the functions that read each column of a visit. */
function readersOf({
  columns,
  indexes,
  link,
  scannedUrl,
}: LinkVisits): Readonly<Record<ColumnName, Reader>> {
  const { visitedAt, flags, dictionaries, visitors, addresses } = columns;
  const { values: sources, codes: sourceCodes } = dictionaries.source;
  const source = sources.map((each) => each.split('/'));
  const scans = selectScans({ columns, indexes }, allTime, () => scannedUrl);
  const clicks = new Set(selectClicks({ columns, indexes }, allTime));
  const isScan = new Set(scans.indexes);
  const isProven = new Set(scans.proven);
  const scanText = ({ values, codes }: typeof scans.scanMethod): Reader => {
    return (index) => (isScan.has(index) ? (values[codes[index] as number] ?? null) : null);
  };
  return {
    visited_at: (index) => visitedAt[index] as number,
    url_id: () => link.id,
    organization_id: () => link.organization_id,
    short_code: () => link.short_code,
    custom_slug: () => link.custom_slug,
    by_short_code: (index) => ((flags[index] as number) & byCodeFlag) !== 0,
    kind: (index) => source[sourceCodes[index] as number]?.[0] ?? null,
    reason: (index) => source[sourceCodes[index] as number]?.[1] ?? null,
    ...dimensionReaders(columns),
    method: (index) => (isScan.has(index) ? 'scan' : clicks.has(index) ? 'click' : null),
    scan_method: scanText(scans.scanMethod),
    scanner_app: scanText(scans.scannerApp),
    certainty: (index) =>
      isScan.has(index) ? (isProven.has(index) ? 'proven' : 'inferred') : null,
    visitor_key: (index) => keyAt(visitors, index),
    address_key: (index) => keyAt(addresses, index),
  };
}

type DimensionColumn =
  | 'country'
  | 'region'
  | 'city'
  | 'device_type'
  | 'browser'
  | 'os'
  | 'referrer_type'
  | 'referrer_domain'
  | 'language'
  | 'utm_source'
  | 'utm_medium'
  | 'utm_campaign'
  | 'utm_term'
  | 'utm_content'
  | 'variant';

/** Returns the readers of the values that breakdowns show. */
function dimensionReaders({ dictionaries }: VisitColumns): Record<DimensionColumn, Reader> {
  const readers: Record<string, Reader> = {};
  for (const dimension of Object.values<Dimension>(clickDimensions)) {
    const { values = [], codes } = dictionaries[dimension.column] ?? {};
    const shown = values.map((each) =>
      splitFields(layoutOf(dimension), shownValue(dimension, each)),
    );
    for (const [at, field] of dimension.fields.entries()) {
      // A city has its region and country, too.
      readers[toSnakeCase(field)] ??= (index) => shown[codes?.[index] as number]?.[at] ?? null;
    }
  }
  return readers as Record<DimensionColumn, Reader>;
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the key of a visitor or an address as an unsigned number of 64 bits. */
function keyAt(keys: Int32Array, index: number): bigint | null {
  const high = (keys[index * 2] as number) >>> 0;
  const low = (keys[index * 2 + 1] as number) >>> 0;
  return high === 0 && low === 0 ? null : (BigInt(high) << 32n) | BigInt(low);
}
