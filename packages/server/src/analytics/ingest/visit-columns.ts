import { unknownCountry } from '../classify/country-database.js';
import type { Visit } from '../journal/journal-lines.js';

/** The columns that have the names of facts. */
const factColumns = [
  'country',
  'deviceType',
  'browser',
  'os',
  'scannerApp',
  'language',
  'region',
] as const;

/**
 * The known columns of texts, which have few distinct values. They are stored with dictionary encoding. A
 * new field of visits becomes a column here, and needs no new version of the stored form: visits that were
 * stored without it have the empty text.
 */
const textColumns = [
  ...factColumns,
  'referrer',
  // The city, its region and its country. Names of cities are not unique.
  'city',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  // The rule of the link that chose the target, and its variant.
  'variant',
] as const;
export type DictionaryColumnName = (typeof textColumns)[number];

/** The columns of texts of visits: the known ones, and those of a later version. */
export type Dictionaries = Readonly<
  Record<DictionaryColumnName, DictionaryColumn> & Record<string, DictionaryColumn>
>;

/** A dictionary-encoded column: each value once, and the code of each visit's value. */
export interface DictionaryColumn {
  readonly values: readonly string[];
  /** For each visit, the index of its value in `values`. */
  readonly codes: Uint8Array | Uint16Array;
  /** The number of visits with each value, if it is stored. A selection of the visits has none. */
  readonly counts?: ArrayLike<number> | undefined;
}

/** Visits in columns. Reports read them ten times as fast as rows, from a quarter of the bytes. */
export interface VisitColumns {
  readonly count: number;
  readonly urlIds: Float64Array;
  readonly visitedAt: Float64Array;
  /** Two numbers for each visit; both are 0 when the visitor has no key. */
  readonly visitors: Int32Array;
  readonly addresses: Int32Array;
  /** Bits of `scanEvidence`, and `byCodeFlag`. */
  readonly flags: Uint8Array;
  readonly dictionaries: Dictionaries;
  /** The names of the columns of texts that are not all empty. */
  readonly storedTexts: readonly string[];
}

/** In `flags`: the visit was by the short code, not by the custom slug. */
export const byCodeFlag = 128;

type NumberArray = Float64Array | Int32Array | Uint16Array | Uint8Array;

/** The maximum number of visits in one `VisitColumns`. */
export const maxVisits = 0xffff;

/** The codes of a column with one text. They are shared and must not be changed. */
export const sameCodes = new Uint8Array(maxVisits);
const emptyColumn: DictionaryColumn = { values: [''], codes: sameCodes };

const emptyDictionaries = Object.fromEntries(
  textColumns.map((name) => [name, emptyColumn]),
) as Dictionaries;

/**
 * Returns the columns of texts with those that are missing. Texts of an unknown name remain, so that
 * rewritten visits keep the fields of a later version.
 */
export function completeTexts(
  stored: ReadonlyMap<string, DictionaryColumn>,
): Pick<VisitColumns, 'dictionaries' | 'storedTexts'> {
  // Reports decode many small rows, and copying an object of the same shape is fast.
  const dictionaries: Record<string, DictionaryColumn> = { ...emptyDictionaries };
  for (const [name, column] of stored) dictionaries[name] = column;
  return { dictionaries: dictionaries as Dictionaries, storedTexts: [...stored.keys()] };
}

export class VisitColumnsBuilder {
  readonly #capacity: number;
  readonly #urlIds: Float64Array;
  readonly #visitedAt: Float64Array;
  readonly #visitors: Int32Array;
  readonly #addresses: Int32Array;
  readonly #flags: Uint8Array;
  readonly #texts = new Map<string, DictionaryBuilder>();
  count = 0;

  /** `capacity` is at most `maxVisits`. */
  constructor(capacity: number) {
    if (capacity > maxVisits)
      throw new RangeError(`${capacity} visits: columns have at most ${maxVisits}`);
    this.#capacity = capacity;
    this.#urlIds = new Float64Array(capacity);
    this.#visitedAt = new Float64Array(capacity);
    this.#visitors = new Int32Array(capacity * 2);
    this.#addresses = new Int32Array(capacity * 2);
    this.#flags = new Uint8Array(capacity);
  }

  add({ urlId, visitedAt, isByCode, facts, variant }: Visit): void {
    const index = this.count;
    this.count += 1;
    this.#urlIds[index] = urlId;
    this.#visitedAt[index] = visitedAt;
    writeKey(this.#visitors, index, facts.visitorKey);
    writeKey(this.#addresses, index, facts.addressKey);
    this.#flags[index] = facts.evidence | (isByCode ? byCodeFlag : 0);
    for (const name of factColumns) this.#setText(name, index, facts[name] ?? '');
    this.#setText('referrer', index, `${facts.referrerType} ${facts.referrerDomain}`);
    if (facts.city !== null) {
      const place = [facts.city, facts.region ?? unknownCountry, facts.country];
      this.#setText('city', index, place.join(cityFieldSeparator));
    }
    if (facts.campaign !== null) {
      for (const [name, value] of Object.entries(facts.campaign)) this.#setText(name, index, value);
    }
    if (variant !== null) this.#setText('variant', index, variant);
  }

  addFrom(columns: VisitColumns, from: number): void {
    const index = this.count;
    this.count += 1;
    this.#urlIds[index] = columns.urlIds[from] as number;
    this.#visitedAt[index] = columns.visitedAt[from] as number;
    this.#visitors[index * 2] = columns.visitors[from * 2] as number;
    this.#visitors[index * 2 + 1] = columns.visitors[from * 2 + 1] as number;
    this.#addresses[index * 2] = columns.addresses[from * 2] as number;
    this.#addresses[index * 2 + 1] = columns.addresses[from * 2 + 1] as number;
    this.#flags[index] = columns.flags[from] as number;
    for (const name of columns.storedTexts) {
      this.#setText(name, index, textAt(columns, name, from));
    }
  }

  /** Must be the last call. */
  finish(): VisitColumns {
    const count = this.count;
    const texts = new Map<string, DictionaryColumn>();
    for (const [name, builder] of this.#texts) texts.set(name, builder.finish(count));
    return {
      count,
      urlIds: this.#urlIds.subarray(0, count),
      visitedAt: this.#visitedAt.subarray(0, count),
      visitors: this.#visitors.subarray(0, count * 2),
      addresses: this.#addresses.subarray(0, count * 2),
      flags: this.#flags.subarray(0, count),
      ...completeTexts(texts),
    };
  }

  #setText(name: string, index: number, value: string): void {
    if (value === '') return;
    let text = this.#texts.get(name);
    if (!text) {
      text = new DictionaryBuilder(this.#capacity);
      this.#texts.set(name, text);
    }
    text.set(index, value);
  }
}

export function toColumns(visits: readonly Visit[]): VisitColumns {
  const builder = new VisitColumnsBuilder(visits.length);
  for (const visit of visits) builder.add(visit);
  return builder.finish();
}

export function textAt({ dictionaries }: VisitColumns, name: string, index: number): string {
  const { values, codes } = dictionaries[name] as DictionaryColumn;
  return values[codes[index] as number] as string;
}

/** Counts the visits with each value of a column of texts, by its code. */
export function countTexts({ count, dictionaries }: VisitColumns, name: string): ArrayLike<number> {
  const { values, codes, counts } = dictionaries[name] as DictionaryColumn;
  if (values.length === 1) return [count];
  if (counts) return counts;
  const counted = new Uint32Array(values.length);
  for (let at = 0; at < count; at += 1) {
    const code = codes[at] as number;
    counted[code] = (counted[code] as number) + 1;
  }
  return counted;
}

/** Copies the visits whose indexes are wanted, with the texts that they have. */
export function copyVisits(
  columns: VisitColumns,
  isWanted: (index: number) => boolean,
): VisitColumns {
  const builder = new VisitColumnsBuilder(columns.count);
  for (let index = 0; index < columns.count; index += 1) {
    if (isWanted(index)) builder.addFrom(columns, index);
  }
  return builder.finish();
}

/**
 * Selects the visits whose indexes are wanted, for reading: columns of texts also have the values of other
 * visits, and consecutive visits share the memory of the columns.
 */
export function selectVisits(
  columns: VisitColumns,
  isWanted: (index: number) => boolean,
): VisitColumns {
  const indexes = new Uint16Array(columns.count);
  let count = 0;
  for (let index = 0; index < columns.count; index += 1) {
    if (!isWanted(index)) continue;
    indexes[count] = index;
    count += 1;
  }
  if (count === columns.count) return columns;
  const first = indexes[0] as number;
  const areConsecutive = count === 0 || indexes[count - 1] === first + count - 1;
  /** Selects from a column with `width` numbers for each visit. */
  const select = <Column extends NumberArray>(column: Column, width = 1): Column => {
    if (areConsecutive) return column.subarray(first * width, (first + count) * width) as Column;
    const selected = column.slice(0, count * width) as Column;
    for (let at = 0; at < count; at += 1) {
      const from = (indexes[at] as number) * width;
      for (let part = 0; part < width; part += 1) {
        selected[at * width + part] = column[from + part] as number;
      }
    }
    return selected;
  };
  const { urlIds, visitedAt, visitors, addresses, flags } = columns;
  const dictionaries: Record<string, DictionaryColumn> = { ...columns.dictionaries };
  for (const [name, { values, codes }] of Object.entries(dictionaries)) {
    if (codes !== sameCodes) dictionaries[name] = { values, codes: select(codes) };
  }
  return {
    ...columns,
    count,
    urlIds: select(urlIds),
    visitedAt: select(visitedAt),
    visitors: select(visitors, 2),
    addresses: select(addresses, 2),
    flags: select(flags),
    dictionaries: dictionaries as Dictionaries,
  };
}

/** Builds a column from texts in the order of the visits. Visits without a text have the empty one. */
export class DictionaryBuilder {
  readonly #codes: Uint16Array;
  readonly #values: string[] = [];
  readonly #codeOf = new Map<string, number>();
  /** The visits before this one have a code. */
  #end = 0;

  constructor(capacity: number) {
    this.#codes = new Uint16Array(capacity);
  }

  /** Sets the text of a visit, which must be after those that have one. */
  set(index: number, value: string): void {
    this.#fillTo(index);
    this.#codes[index] = this.#codeOfValue(value);
    this.#end = index + 1;
  }

  /** Returns the texts of the first `count` visits. Must be the last call. */
  finish(count: number): DictionaryColumn {
    this.#fillTo(count);
    return { values: this.#values, codes: this.#codes.subarray(0, count) };
  }

  /** Gives the visits before `index` that have no text the empty one. */
  #fillTo(index: number): void {
    if (this.#end < index) this.#codes.fill(this.#codeOfValue(''), this.#end, index);
  }

  #codeOfValue(value: string): number {
    let code = this.#codeOf.get(value);
    if (code === undefined) {
      code = this.#values.push(value) - 1;
      this.#codeOf.set(value, code);
    }
    return code;
  }
}

/** Separates the fields of a city. Names of places have spaces, but no tabs. */
export const cityFieldSeparator = '\t';

/** Writes 16 hexadecimal digits as two numbers. */
function writeKey(keys: Int32Array, index: number, key: string | null): void {
  if (key === null) return;
  keys[index * 2] = Number.parseInt(key.slice(0, 8), 16);
  keys[index * 2 + 1] = Number.parseInt(key.slice(8), 16);
}
