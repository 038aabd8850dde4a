import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { isAmong } from '../../storage/statements.js';
import { decideScans, type ScannedUrls } from '../ingest/scans.js';
import { type DictionaryColumn, textAt, type VisitColumns } from '../ingest/visit-columns.js';
import {
  by,
  clickDimensions,
  type Dimension,
  scanDimensions,
  shownValue,
  splitFields,
} from './dimensions.js';
import { ReportTooLargeError } from './report-limits.js';
import type { Window } from './report-window.js';
import { type Condition, filterVisits } from './visit-filter.js';

// Entries beyond a page that are collected before the last ones are dropped.
const cutFactor = 1.25;
/** The maximum number of visits in one millisecond that a cursor can skip. */
export const maxSkipped = 100_000;

export interface VisitPageQuery extends Window {
  readonly conditions: readonly Condition[];
  readonly limit: number;
  /** Continues after the first `skipped` visits of the millisecond `at`. */
  readonly after?: { readonly at: number; readonly skipped: number } | undefined;
}

export interface VisitPage {
  readonly text: string;
  readonly count: number;
  /** The position of the next page; undefined after the last one. */
  readonly next: { readonly at: number; readonly skipped: number } | undefined;
}

interface Entry {
  readonly at: number;
  readonly urlId: number;
  /** The fields of the visit as JSON, without its link. */
  readonly json: string;
}

/**
 * Collects the first visits of a window, in any order of their storage. Visits of one millisecond are in
 * the order of their links and fields, so a merge does not change the pages.
 */
export class VisitPageBuilder {
  readonly #query: VisitPageQuery;
  #entries: Entry[] = [];
  #until: number;
  /** The number of entries from which they are cut again. */
  #cutAt: number;

  constructor(query: VisitPageQuery) {
    this.#query = query;
    this.#until = query.until;
    this.#cutAt = cutFactor * query.limit;
  }

  /** The visits that can be on the page. The window shrinks as visits are added. */
  get window(): Window {
    const { since, after } = this.#query;
    return { since: Math.max(since, after?.at ?? since), until: this.#until };
  }

  add(visits: VisitColumns, scannedUrls: ScannedUrls): void {
    const decided = decideScans(visits, scannedUrls);
    const selected = filterVisits(decided, this.#query.conditions);
    const { count, urlIds, visitedAt } = selected;
    const format = formatterOf(selected);
    for (let index = 0; index < count; index += 1) {
      const at = visitedAt[index] as number;
      if (at >= this.#until) continue;
      this.#entries.push({ at, urlId: urlIds[index] as number, json: format(index) });
      if (this.#entries.length >= this.#cutAt) this.#cut();
    }
  }

  /** Returns the page. Reads the codes of its links. */
  async finish(db: Kysely<Schema>): Promise<VisitPage> {
    this.#cut();
    const { after, limit } = this.#query;
    const skipped = after === undefined ? 0 : countAt(this.#entries, after.at, after.skipped);
    const candidates = this.#entries.slice(skipped, skipped + limit);
    const codes = await readCodes(db, candidates);
    const lines = candidates.map(({ at, urlId, json }) => {
      const head = JSON.stringify({ visitedAt: new Date(at).toISOString(), ...codes.get(urlId) });
      return `${head.slice(0, -1)},${json.slice(1)}\n`;
    });
    const page = { text: lines.join(''), count: lines.length };
    const last = candidates.at(-1);
    if (!last || this.#entries.length <= skipped + page.count) return { ...page, next: undefined };
    const before = this.#entries.findIndex(({ at }) => at === last.at);
    const next = { at: last.at, skipped: skipped + page.count - before };
    if (next.skipped <= maxSkipped) return { ...page, next };
    throw new ReportTooLargeError(
      `More than ${maxSkipped} visits have the time ${new Date(last.at).toISOString()}`,
    );
  }

  /** Drops the entries that cannot be on the page. */
  #cut(): void {
    this.#entries.sort(compareEntries);
    const { after, limit } = this.#query;
    const skipped = after === undefined ? 0 : countAt(this.#entries, after.at, after.skipped);
    // They decide the page, and whether another one follows.
    const wanted = skipped + limit + 1;
    this.#cutAt = cutFactor * wanted;
    const last = this.#entries[wanted - 1];
    if (!last) return;
    this.#entries.length = wanted;
    this.#until = last.at + 1;
  }
}

function compareEntries(a: Entry, b: Entry): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.urlId !== b.urlId) return a.urlId - b.urlId;
  if (a.json === b.json) return 0;
  return a.json < b.json ? -1 : 1;
}

/** Counts the first entries of a millisecond, at most `max`. */
function countAt(entries: readonly Entry[], at: number, max: number): number {
  let count = 0;
  while (count < max && entries[count]?.at === at) count += 1;
  return count;
}

const scanFields = [scanDimensions.scanMethod, scanDimensions.scannerApp, by('certainty')];
const noScan = '"scanMethod":null,"scannerApp":null,"certainty":null';

/** Returns a function that formats the fields of a visit, by the names that they have in breakdowns. */
function formatterOf(visits: VisitColumns) {
  const clickFieldsOf = fieldsOf(visits, Object.values<Dimension>(clickDimensions));
  const scanFieldsOf = fieldsOf(visits, scanFields);
  return (index: number): string => {
    const isScan = textAt(visits, 'certainty', index) !== '';
    const scan = isScan ? scanFieldsOf(index) : noScan;
    return `{"method":"${isScan ? 'scan' : 'click'}",${clickFieldsOf(index)},${scan}}`;
  };
}

/** Returns a function that returns the fields of a visit as JSON without braces. Formats each value once. */
function fieldsOf(
  { dictionaries }: VisitColumns,
  dimensions: readonly Dimension[],
): (index: number) => string {
  const known = new Set<string>();
  const formatters = dimensions.map((dimension) => {
    const { values, codes } = dictionaries[dimension.column] as DictionaryColumn;
    // A city has its region and country, too.
    const isNew = dimension.fields.map((name) => !known.has(name));
    for (const name of dimension.fields) known.add(name);
    const formatted: string[] = [];
    const format = (code: number): string => {
      const parts = splitFields(dimension, shownValue(dimension, values[code] as string));
      const fields = dimension.fields.map((name, at) => [name, parts[at]]);
      return JSON.stringify(Object.fromEntries(fields.filter((_, at) => isNew[at]))).slice(1, -1);
    };
    return (index: number): string => {
      const code = codes[index] as number;
      formatted[code] ??= format(code);
      return formatted[code];
    };
  });
  return (index) => formatters.map((format) => format(index)).join();
}

interface LinkCodes {
  readonly urlId: string;
  readonly shortCode: string;
  readonly customSlug: string | null;
}

async function readCodes(
  db: Kysely<Schema>,
  entries: readonly Entry[],
): Promise<ReadonlyMap<number, LinkCodes>> {
  const rows = await db
    .selectFrom('urls')
    .select(['id', 'short_code as shortCode', 'custom_slug as customSlug'])
    .where(isAmong(db, sql.ref('id'), new Set(entries.map(({ urlId }) => urlId))))
    .execute();
  return new Map(rows.map(({ id, ...codes }) => [id, { urlId: String(id), ...codes }]));
}
