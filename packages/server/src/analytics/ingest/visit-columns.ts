import type { Visit } from '../journal/visit.js';

/** What is kept as a text of few values: each text once, and a small number a visit. */
export const wordColumns = [
  'source',
  'country',
  'deviceType',
  'browser',
  'os',
  'referrer',
  'scannerApp',
] as const;
export type WordColumn = (typeof wordColumns)[number];

export interface Words {
  readonly texts: readonly string[];
  /** The place in `texts`, for each visit. */
  readonly codes: Uint8Array | Uint16Array;
}

/**
 * Visits side by side, column by column: what a report reads is a run of numbers, ten times as fast
 * to walk through as rows, and a quarter as large.
 */
export interface VisitColumns {
  readonly count: number;
  /** Of whom each visit is; undefined where all are of one link. */
  readonly urlIds: Float64Array | undefined;
  /** Milliseconds since 1970. */
  readonly visitedAt: Float64Array;
  /** Two numbers a visit; both 0 for a visitor who has no key. */
  readonly visitors: Int32Array;
  /** Two numbers a visit. */
  readonly addresses: Int32Array;
  /** Bits of `scanEvidence`, and `byCode`. */
  readonly marks: Uint8Array;
  readonly words: Readonly<Record<WordColumn, Words>>;
}

/** In `marks`: the visit came by the short code. */
export const byCode = 128;

/** As many visits as one set of columns can hold. */
export const maxVisits = 0xffff;

/** `human/browser`: the kind of a visit, and the rule that decided. */
export function kindOf(source: string): string {
  return source.slice(0, source.indexOf('/'));
}

/** A referrer's type and domain in one word; a type has no space. */
export function joinReferrer(referrerType: string, referrerDomain: string): string {
  return `${referrerType} ${referrerDomain}`;
}

/** What {@link joinReferrer} was given. */
export function splitReferrer(referrer: string): { referrerType: string; referrerDomain: string } {
  const space = referrer.indexOf(' ');
  return { referrerType: referrer.slice(0, space), referrerDomain: referrer.slice(space + 1) };
}

/** Collects visits into columns. */
export class VisitColumnsBuilder {
  readonly #urlIds: Float64Array | undefined;
  readonly #visitedAt: Float64Array;
  readonly #visitors: Int32Array;
  readonly #addresses: Int32Array;
  readonly #marks: Uint8Array;
  readonly #words: Record<WordColumn, WordsBuilder>;
  #count = 0;

  /** Room for `capacity` visits, at most `maxVisits`: of one link, or of many with their ids. */
  constructor(capacity: number, { ofManyUrls = false } = {}) {
    if (capacity > maxVisits) throw new RangeError(`${capacity} visits do not fit into columns`);
    this.#urlIds = ofManyUrls ? new Float64Array(capacity) : undefined;
    this.#visitedAt = new Float64Array(capacity);
    this.#visitors = new Int32Array(capacity * 2);
    this.#addresses = new Int32Array(capacity * 2);
    this.#marks = new Uint8Array(capacity);
    this.#words = Object.fromEntries(
      wordColumns.map((column) => [column, new WordsBuilder(capacity)]),
    ) as Record<WordColumn, WordsBuilder>;
  }

  get count(): number {
    return this.#count;
  }

  add({ urlId, visitedAt, isByCode, facts }: Visit): void {
    const at = this.#count;
    this.#count += 1;
    if (this.#urlIds) this.#urlIds[at] = urlId;
    this.#visitedAt[at] = visitedAt;
    writeKey(this.#visitors, at, facts.visitorKey);
    writeKey(this.#addresses, at, facts.addressKey);
    this.#marks[at] = facts.evidence | (isByCode ? byCode : 0);
    const words = this.#words;
    words.source.set(at, `${facts.kind}/${facts.reason}`);
    words.country.set(at, facts.country);
    words.deviceType.set(at, facts.deviceType);
    words.browser.set(at, facts.browser);
    words.os.set(at, facts.os);
    words.referrer.set(at, joinReferrer(facts.referrerType, facts.referrerDomain));
    words.scannerApp.set(at, facts.scannerApp ?? '');
  }

  /** Takes over all visits of one link at once. Only for a builder that has none yet. */
  adopt(columns: VisitColumns): void {
    const { count } = columns;
    this.#count = count;
    this.#visitedAt.set(columns.visitedAt);
    this.#visitors.set(columns.visitors);
    this.#addresses.set(columns.addresses);
    this.#marks.set(columns.marks);
    for (const column of wordColumns) this.#words[column].adopt(columns.words[column]);
  }

  /** Takes over one visit out of other columns, without its link. */
  addFrom(columns: VisitColumns, from: number): void {
    const at = this.#count;
    this.#count += 1;
    this.#visitedAt[at] = columns.visitedAt[from] as number;
    for (const half of [0, 1]) {
      this.#visitors[at * 2 + half] = columns.visitors[from * 2 + half] as number;
      this.#addresses[at * 2 + half] = columns.addresses[from * 2 + half] as number;
    }
    this.#marks[at] = columns.marks[from] as number;
    for (const column of wordColumns) {
      const { texts, codes } = columns.words[column];
      this.#words[column].set(at, texts[codes[from] as number] as string);
    }
  }

  /** The columns of what was added so far. */
  finish(): VisitColumns {
    const count = this.#count;
    return {
      count,
      urlIds: this.#urlIds?.subarray(0, count),
      visitedAt: this.#visitedAt.subarray(0, count),
      visitors: this.#visitors.subarray(0, count * 2),
      addresses: this.#addresses.subarray(0, count * 2),
      marks: this.#marks.subarray(0, count),
      words: Object.fromEntries(
        wordColumns.map((column) => [column, this.#words[column].finish(count)]),
      ) as Record<WordColumn, Words>,
    };
  }
}

class WordsBuilder {
  readonly #codes: Uint16Array;
  readonly #texts: string[] = [];
  readonly #known = new Map<string, number>();

  constructor(capacity: number) {
    this.#codes = new Uint16Array(capacity);
  }

  set(at: number, text: string): void {
    let code = this.#known.get(text);
    if (code === undefined) {
      code = this.#texts.push(text) - 1;
      this.#known.set(text, code);
    }
    this.#codes[at] = code;
  }

  adopt({ texts, codes }: Words): void {
    this.#codes.set(codes);
    for (const text of texts) this.#known.set(text, this.#texts.push(text) - 1);
  }

  finish(count: number): Words {
    return { texts: this.#texts, codes: this.#codes.subarray(0, count) };
  }
}

function writeKey(keys: Int32Array, at: number, key: string | null): void {
  if (key === null) return;
  keys[at * 2] = Number.parseInt(key.slice(0, 8), 16);
  keys[at * 2 + 1] = Number.parseInt(key.slice(8), 16);
}
