import { crc32 } from 'node:zlib';
import {
  completeTexts,
  countTexts,
  type DictionaryColumn,
  maxVisits,
  sameCodes,
  type VisitColumns,
} from './visit-columns.js';

// Version 6: a header, the columns of numbers, those of texts, as JSON the texts with the number of visits
// that have each, which whole reports need, and a CRC-32 of all. The ids of links are one number if all are
// the same: a link with many visits has rows of its own. The columns of texts have names: a reader completes
// those that are missing, and preserves those that it does not know. A new column of numbers needs a new
// version.
const version = 6;
/** The largest number of visits in a merged row of several links. They usually take 80 KB. */
export const visitsPerRow = 2048;
const headerLength = 4;
const checksumBytes = 4;
// Typed arrays are views of the stored bytes, so each must begin at a multiple of its element size.
const alignment = 8;

type NumberArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/**
 * Encodes columns as arrays of little-endian numbers, and the texts. All machines that Node supports are
 * little-endian.
 */
export function encodeColumns(columns: VisitColumns): Buffer {
  const { count, dictionaries } = columns;
  const texts = columns.storedTexts
    .map((name) => [name, dictionaries[name] as DictionaryColumn] as const)
    // Codes of two bytes first, so that all are aligned.
    .sort(([, a], [, b]) => codeBytes(b.values) - codeBytes(a.values));
  const json = Buffer.from(
    JSON.stringify(
      Object.fromEntries(
        texts.map(([name, { values }]) => [name, [values, Array.from(countTexts(columns, name))]]),
      ),
    ),
  );
  const { urlIds, visitedAt, visitors, addresses, flags } = columns;
  const ids = urlIds.every((id) => id === urlIds[0]) ? urlIds.subarray(0, 1) : urlIds;
  const parts: Uint8Array[] = [bytesOf(Uint32Array.of(version, count, json.length, ids.length))];
  for (const numbers of [ids, visitedAt, visitors, addresses, flags]) parts.push(bytesOf(numbers));
  parts.push(new Uint8Array(aligned(count) - count));
  for (const [, { values, codes }] of texts) {
    const bytes = codeBytes(values);
    if (bytes === 2) parts.push(bytesOf(codes));
    else if (bytes === 1) parts.push(new Uint8Array(codes));
  }
  parts.push(json, new Uint8Array(checksumBytes));
  const stored = Buffer.concat(parts);
  stored.writeUInt32LE(checksumOf(stored), stored.length - checksumBytes);
  return stored;
}

/**
 * Throws if the checksum is wrong. `decodeColumns` does not verify it, because reports would take a third
 * longer. Callers that store the visits again verify it first.
 */
export function checkColumns(stored: Uint8Array): void {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  const end = bytes.length - checksumBytes;
  if (end < 0 || bytes.readUInt32LE(end) !== checksumOf(bytes)) {
    throw new RangeError('its checksum is wrong');
  }
}

function checksumOf(stored: Uint8Array): number {
  return crc32(stored.subarray(0, -checksumBytes));
}

/** Returns the columns of a row of `visits` that depend on its visits, at least one. */
export function toRow(columns: VisitColumns) {
  const { urlIds, visitedAt } = columns;
  let [first_url, last_url] = [Number.POSITIVE_INFINITY, 0];
  let [first_at, last_at] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let index = 0; index < columns.count; index += 1) {
    const [urlId, at] = [urlIds[index] as number, visitedAt[index] as number];
    if (urlId < first_url) first_url = urlId;
    if (urlId > last_url) last_url = urlId;
    if (at < first_at) first_at = at;
    if (at > last_at) last_at = at;
  }
  const visits = encodeColumns(columns);
  return { first_at, last_at, first_url, last_url, visit_count: columns.count, visits };
}

/** One visit within columns. */
export interface VisitRef {
  readonly columns: VisitColumns;
  readonly index: number;
}

/** Decodes columns, which share the memory of `stored`. Throws if they are damaged or of a later version. */
export function decodeColumns(stored: Uint8Array): VisitColumns {
  const bytes = stored.byteOffset % alignment === 0 ? stored : new Uint8Array(stored);
  const { buffer, byteOffset, length } = bytes;
  let offset = byteOffset;
  const take = <A extends NumberArray>(
    arrayClass: new (from: ArrayBufferLike, offset: number, length: number) => A,
    numbers: number,
  ): A => {
    const array = new arrayClass(buffer, offset, numbers);
    offset += array.byteLength;
    return array;
  };
  const [storedVersion, count = 0, jsonBytes = 0, idCount = 0] = take(Uint32Array, headerLength);
  if (count > maxVisits) throw new RangeError(`${count} visits: columns have at most ${maxVisits}`);
  if (storedVersion !== version) {
    throw new Error(`visits of version ${storedVersion}: this server reads version ${version}`);
  }
  if (idCount !== 1 && idCount !== count)
    throw new RangeError(`${idCount} links of ${count} visits`);
  const ids = take(Float64Array, idCount);
  const urlIds = idCount === count ? ids : repeat(ids[0] as number, count);
  const visitedAt = take(Float64Array, count);
  const visitors = take(Int32Array, count * 2);
  const addresses = take(Int32Array, count * 2);
  const flags = take(Uint8Array, count);
  offset = aligned(offset);
  const jsonAt = byteOffset + length - checksumBytes - jsonBytes;
  const json = Buffer.from(buffer, jsonAt, jsonBytes).toString();
  const texts: Record<string, [values: string[], counts: number[]]> = JSON.parse(json);
  const columns = new Map<string, DictionaryColumn>();
  for (const [name, [values, counts]] of Object.entries(texts)) {
    const width = codeBytes(values);
    const codes =
      width === 0
        ? sameCodes
        : take<Uint8Array | Uint16Array>(width === 1 ? Uint8Array : Uint16Array, count);
    columns.set(name, { values, codes, counts });
  }
  return { count, urlIds, visitedAt, visitors, addresses, flags, ...completeTexts(columns) };
}

let repeated = new Float64Array();

/** Returns a column of equal ids, which must not be changed: rows of one link share it. */
function repeat(id: number, count: number): Float64Array {
  if (repeated[0] !== id || repeated.length < count) {
    repeated = new Float64Array(count).fill(id);
  }
  return repeated.subarray(0, count);
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

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
