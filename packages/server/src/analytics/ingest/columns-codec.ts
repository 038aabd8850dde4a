import {
  completeTexts,
  type DictionaryColumn,
  maxVisits,
  sameCodes,
  timeRange,
  type VisitColumns,
  VisitColumnsBuilder,
} from './visit-columns.js';

// Version 2: a header, the columns, and a description of the columns as JSON. The columns of texts
// have names: a reader completes those that are missing, and preserves those that it does not know.
const version = 2;
const version1 = 1;
/** The largest number of visits in a chunk. They usually take 60 KB, which each addition rewrites. */
export const visitsPerChunk = 2048;
/**
 * A chunk of this size gets no further visits. Texts of visits come from strangers, so a chunk could
 * otherwise have some megabytes, and a report reads many chunks at once.
 */
export const maxChunkBytes = 512 * 1024;
const headerLength = 4;
// Typed arrays are views of the stored bytes, so each must begin at a multiple of its element size.
const alignment = 8;

// The first bytes of a damaged form may be any number.
const maxVersion = 255;

/** A later version of this server stored the visits. They must not be treated as damaged. */
export class LaterVersionError extends Error {}

type NumberArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** The columns of numbers, which a version of the form defines. */
type NumberColumns = Pick<
  VisitColumns,
  'urlIds' | 'visitedAt' | 'visitors' | 'addresses' | 'flags'
>;
type NumberColumnName = keyof NumberColumns;

/** The description of the columns, in the order in which they are stored. */
interface Description {
  readonly numbers: readonly NumberColumnName[];
  /** The texts of each column by its name. A visit's code is the index of its text. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

/**
 * Encodes columns as arrays of little-endian numbers, and a description with the texts. Leaves URL ids
 * out if all visits are of one URL. All machines that Node supports are little-endian.
 */
export function encodeColumns(columns: VisitColumns, { isOfOneUrl = false } = {}): Buffer {
  const { count, dictionaries } = columns;
  const numbers: NumberColumnName[] = isOfOneUrl ? [] : ['urlIds'];
  numbers.push('visitedAt', 'visitors', 'addresses', 'flags');
  const texts = columns.storedTexts
    .map((name) => [name, dictionaries[name] as DictionaryColumn] as const)
    // Codes of two bytes first, so that all are aligned.
    .sort(([, a], [, b]) => codeBytes(b.values) - codeBytes(a.values));
  const description: Description = {
    numbers,
    texts: Object.fromEntries(texts.map(([name, { values }]) => [name, values])),
  };
  const json = Buffer.from(JSON.stringify(description));
  const parts: Uint8Array[] = [bytesOf(Uint32Array.of(version, count, json.length, 0))];
  for (const name of numbers) parts.push(bytesOf(columns[name]));
  parts.push(new Uint8Array(aligned(count) - count));
  for (const [, { values, codes }] of texts) {
    const bytes = codeBytes(values);
    if (bytes === 2) parts.push(bytesOf(codes));
    else if (bytes === 1) parts.push(new Uint8Array(codes));
  }
  parts.push(json);
  return Buffer.concat(parts);
}

/** The table of a chunk: that of the visits of a URL, or that of the visits of an organization. */
export type ChunkTable = 'visit_chunks' | 'organization_chunks';

/** Returns the columns of a stored chunk that depend on its visits. */
export function toChunk(columns: VisitColumns, table: ChunkTable = 'visit_chunks') {
  const visits = encodeColumns(columns, { isOfOneUrl: table === 'visit_chunks' });
  return { ...timeRange(columns), visit_count: columns.count, visits };
}

/** One visit within columns. */
export interface VisitRef {
  readonly columns: VisitColumns;
  readonly index: number;
}

/**
 * Returns the columns of a stored chunk with the existing visits and as many of the others, from an
 * index on, as fit. `added` is the number of those, at least 1.
 */
export function packChunk(
  existing: VisitColumns | undefined,
  visits: readonly VisitRef[],
  from: number,
  table: ChunkTable = 'visit_chunks',
) {
  const existingCount = existing?.count ?? 0;
  let part = visits.slice(from, from + visitsPerChunk - existingCount);
  for (;;) {
    const builder = new VisitColumnsBuilder(existingCount + part.length);
    if (existing) builder.addAll(existing);
    for (const { columns, index } of part) builder.addFrom(columns, index);
    const chunk = toChunk(builder.finish(), table);
    if (chunk.visits.length <= maxChunkBytes || part.length === 1)
      return { chunk, added: part.length };
    part = part.slice(0, Math.ceil(part.length / 2));
  }
}

/**
 * Decodes columns of any version. They share the memory of `stored`. `urlId` is the URL of a chunk.
 * Throws when the bytes have a later version.
 */
export function decodeColumns(stored: Uint8Array, urlId = 0): VisitColumns {
  const bytes = stored.byteOffset % alignment === 0 ? stored : new Uint8Array(stored);
  const reader = new ColumnReader(bytes);
  const header = reader.take(Uint32Array, headerLength);
  const [storedVersion, count = 0, jsonBytes = 0] = header;
  if (count > maxVisits) throw new RangeError(`${count} visits: columns have at most ${maxVisits}`);
  if (storedVersion === version1) return decodeVersion1(reader, header, urlId);
  if (storedVersion !== version) {
    const isLater = Number(storedVersion) > version && Number(storedVersion) <= maxVersion;
    const message = `visits of version ${storedVersion}: this server reads version ${version}`;
    throw isLater ? new LaterVersionError(message) : new Error(message);
  }
  const { numbers, texts }: Description = JSON.parse(reader.takeLast(jsonBytes));
  const found: Partial<NumberColumns> = Object.fromEntries(
    numbers.map((name) => [name, readNumbers(reader, name, count)]),
  );
  reader.align(alignment);
  const columns = new Map<string, DictionaryColumn>();
  for (const [name, values] of Object.entries(texts)) {
    const codes = values.length <= 1 ? sameCodes : readCodes(reader, values, count);
    columns.set(name, { values, codes });
  }
  return {
    count,
    urlIds: found.urlIds ?? new Float64Array(count).fill(urlId),
    visitedAt: found.visitedAt ?? new Float64Array(count),
    visitors: found.visitors ?? new Int32Array(count * 2),
    addresses: found.addresses ?? new Int32Array(count * 2),
    flags: found.flags ?? new Uint8Array(count),
    ...completeTexts(columns),
  };
}

/** Decodes columns, or returns undefined when they cannot be decoded. The caller decides what that means. */
export function tryToDecode(stored: Uint8Array, urlId?: number): VisitColumns | undefined {
  try {
    return decodeColumns(stored, urlId);
  } catch {
    return undefined;
  }
}

/** Decodes columns, or returns undefined when they are damaged. Throws when they have a later version. */
export function decodeUnlessDamaged(stored: Uint8Array, urlId?: number): VisitColumns | undefined {
  try {
    return decodeColumns(stored, urlId);
  } catch (error) {
    if (error instanceof LaterVersionError) throw error;
    return undefined;
  }
}

function readNumbers(reader: ColumnReader, name: NumberColumnName, count: number): NumberArray {
  switch (name) {
    case 'urlIds':
    case 'visitedAt':
      return reader.take(Float64Array, count);
    case 'visitors':
    case 'addresses':
      return reader.take(Int32Array, count * 2);
    case 'flags':
      return reader.take(Uint8Array, count);
    default:
      // Its size is unknown. Ignoring it would delete it when the visits are rewritten.
      throw new LaterVersionError(
        `visits with the column of numbers "${name}": a later version stored them`,
      );
  }
}

function readCodes(
  reader: ColumnReader,
  values: readonly string[],
  count: number,
): DictionaryColumn['codes'] {
  return values.length <= maxByteCodes
    ? reader.take(Uint8Array, count)
    : reader.take(Uint16Array, count);
}

// The columns of texts in version 1, in the order in which they are stored.
const texts1 = ['source', 'country', 'deviceType', 'browser', 'os', 'referrer', 'scannerApp'];

/** Decodes the form of version 0.1, in which each column begins at a multiple of 8. */
function decodeVersion1(reader: ColumnReader, header: Uint32Array, urlId: number): VisitColumns {
  const [, count = 0, hasUrlIds = 0, valueBytes = 0] = header;
  const allValues = JSON.parse(reader.takeLast(valueBytes)) as string[][];
  const take = (name: NumberColumnName): NumberArray => {
    reader.align(alignment);
    return readNumbers(reader, name, count);
  };
  const numbers = {
    urlIds: hasUrlIds === 1 ? take('urlIds') : new Float64Array(count).fill(urlId),
    visitedAt: take('visitedAt'),
    visitors: take('visitors'),
    addresses: take('addresses'),
    flags: take('flags'),
  } as NumberColumns;
  const columns = new Map<string, DictionaryColumn>();
  for (const [at, name] of texts1.entries()) {
    const values = allValues[at] as string[];
    reader.align(alignment);
    columns.set(name, { values, codes: readCodes(reader, values, count) });
  }
  return { count, ...numbers, ...completeTexts(columns) };
}

/** Reads typed arrays one after the other, and text from the end. */
class ColumnReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take<A extends NumberArray>(
    arrayClass: new (from: ArrayBufferLike, offset: number, length: number) => A,
    length: number,
  ): A {
    const { buffer, byteOffset } = this.#bytes;
    const array = new arrayClass(buffer, byteOffset + this.#offset, length);
    this.#offset += array.byteLength;
    return array;
  }

  /** Skips to the next multiple of a number of bytes. */
  align(bytes: number): void {
    this.#offset = aligned(this.#offset, bytes);
  }

  takeLast(length: number): string {
    const { buffer, byteOffset, length: size } = this.#bytes;
    return Buffer.from(buffer, byteOffset + size - length, length).toString();
  }
}

const maxByteCodes = 256;

/** The bytes of each visit's code: none if all visits have the same text. */
function codeBytes(values: readonly string[]): 0 | 1 | 2 {
  if (values.length <= 1) return 0;
  return values.length <= maxByteCodes ? 1 : 2;
}

function bytesOf({ buffer, byteOffset, byteLength }: NumberArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function aligned(bytes: number, to = alignment): number {
  return Math.ceil(bytes / to) * to;
}
