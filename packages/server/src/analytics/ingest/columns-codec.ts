import {
  dictionaryColumns,
  mapDictionaries,
  timeRange,
  type VisitColumns,
} from './visit-columns.js';

const version = 1;
// Typed arrays are views of the stored bytes, so each must begin at a multiple of its element size.
const alignment = 8;

type NumberArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/**
 * Encodes columns as a header, arrays of little-endian numbers, and the dictionaries' values as JSON.
 * Leaves URL ids out if all visits are of one URL. All machines that Node supports are little-endian.
 */
export function encodeColumns(columns: VisitColumns, { isOfOneUrl = false } = {}): Buffer {
  const { count, urlIds, visitedAt, visitors, addresses, flags, dictionaries } = columns;
  const values = Buffer.from(
    JSON.stringify(dictionaryColumns.map((name) => dictionaries[name].values)),
  );
  const arrays: NumberArray[] = [
    Uint32Array.of(version, count, isOfOneUrl ? 0 : 1, values.length),
    ...(isOfOneUrl ? [] : [urlIds]),
    visitedAt,
    visitors,
    addresses,
    flags,
    ...dictionaryColumns.map((name) => {
      const { values: texts, codes } = dictionaries[name];
      return hasByteCodes(texts) ? Uint8Array.from(codes) : codes;
    }),
  ];
  const parts = arrays.flatMap(({ buffer, byteOffset, byteLength }) => [
    new Uint8Array(buffer, byteOffset, byteLength),
    new Uint8Array(aligned(byteLength) - byteLength),
  ]);
  return Buffer.concat([...parts, values]);
}

/** Returns the columns of a stored chunk that depend on its visits. */
export function toChunk(columns: VisitColumns) {
  const visits = encodeColumns(columns, { isOfOneUrl: true });
  return { ...timeRange(columns), visit_count: columns.count, visits };
}

/**
 * Decodes columns. They share the memory of `stored`. `urlId` is the URL of a chunk. Throws when the
 * bytes have another version.
 */
export function decodeColumns(stored: Uint8Array, urlId = 0): VisitColumns {
  const bytes = stored.byteOffset % alignment === 0 ? stored : Uint8Array.from(stored);
  const { buffer, byteOffset, length: size } = bytes;
  let offset = byteOffset;
  const take = <A extends NumberArray>(
    arrayClass: new (from: ArrayBufferLike, offset: number, length: number) => A,
    length: number,
  ): A => {
    const array = new arrayClass(buffer, offset, length);
    offset += aligned(array.byteLength);
    return array;
  };
  const [storedVersion, count = 0, hasUrlIds = 0, valueBytes = 0] = take(Uint32Array, 4);
  if (storedVersion !== version) {
    throw new Error(`visits of version ${storedVersion}: this server reads version ${version}`);
  }
  const allValues = JSON.parse(
    Buffer.from(buffer, byteOffset + size - valueBytes, valueBytes).toString(),
  ) as string[][];
  // In stored order.
  return {
    count,
    urlIds: hasUrlIds === 1 ? take(Float64Array, count) : new Float64Array(count).fill(urlId),
    visitedAt: take(Float64Array, count),
    visitors: take(Int32Array, count * 2),
    addresses: take(Int32Array, count * 2),
    flags: take(Uint8Array, count),
    dictionaries: mapDictionaries((_name, index) => {
      const values = allValues[index] as string[];
      const codes = hasByteCodes(values) ? take(Uint8Array, count) : take(Uint16Array, count);
      return { values, codes };
    }),
  };
}

function hasByteCodes(values: readonly string[]): boolean {
  return values.length <= 256;
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
