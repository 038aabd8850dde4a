import {
  type DictionaryColumn,
  type DictionaryColumnName,
  dictionaryColumns,
  timeRange,
  type VisitColumns,
} from './visit-columns.js';

// Four numbers: version, number of visits, 1 when there are URL ids, bytes of the dictionaries.
const headerBytes = 16;
const version = 1;
// Typed arrays are views of the stored bytes, so each must begin at a multiple of its element size.
const alignment = 8;

/**
 * Encodes columns: a header, arrays of little-endian numbers, and the dictionaries' values as JSON.
 * All machines that Node supports are little-endian.
 */
export function encodeColumns(columns: VisitColumns): Buffer {
  const values = Buffer.from(
    JSON.stringify(dictionaryColumns.map((name) => columns.dictionaries[name].values)),
  );
  const arrays = arraysOf(columns);
  const size = arrays.reduce((sum, array) => sum + aligned(array.byteLength), headerBytes);
  const bytes = Buffer.alloc(size + values.length);
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, headerBytes / 4);
  header.set([version, columns.count, columns.urlIds ? 1 : 0, values.length]);
  let offset = headerBytes;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += aligned(array.byteLength);
  }
  bytes.set(values, offset);
  return bytes;
}

/** Returns the columns of a stored chunk that depend on its visits. */
export function toChunk(columns: VisitColumns) {
  return { ...timeRange(columns), visit_count: columns.count, visits: encodeColumns(columns) };
}

type NumberArray = Float64Array | Int32Array | Uint16Array | Uint8Array;

function arraysOf(columns: VisitColumns): NumberArray[] {
  return [
    ...(columns.urlIds ? [columns.urlIds] : []),
    columns.visitedAt,
    columns.visitors,
    columns.addresses,
    columns.flags,
    ...dictionaryColumns.map((name) => {
      const { values, codes } = columns.dictionaries[name];
      return hasByteCodes(values) ? Uint8Array.from(codes) : codes;
    }),
  ];
}

/** Decodes columns. They share the memory of `stored`. Throws when the bytes have another version. */
export function decodeColumns(stored: Uint8Array): VisitColumns {
  const bytes = stored.byteOffset % alignment === 0 ? stored : Uint8Array.from(stored);
  const { buffer, byteOffset } = bytes;
  const [storedVersion, count = 0, hasUrlIds = 0, valueBytes = 0] = new Uint32Array(
    buffer,
    byteOffset,
    headerBytes / 4,
  );
  if (storedVersion !== version) {
    throw new Error(`visits of version ${storedVersion}: this server reads version ${version}`);
  }
  const allValues = JSON.parse(
    Buffer.from(buffer, byteOffset + bytes.length - valueBytes, valueBytes).toString(),
  ) as string[][];
  let offset = byteOffset + headerBytes;
  const take = <A>(
    arrayClass: new (from: ArrayBufferLike, offset: number, length: number) => A,
    length: number,
    elementBytes: number,
  ): A => {
    const array = new arrayClass(buffer, offset, length);
    offset += aligned(length * elementBytes);
    return array;
  };
  const urlIds = hasUrlIds === 1 ? take(Float64Array, count, 8) : undefined;
  const visitedAt = take(Float64Array, count, 8);
  const visitors = take(Int32Array, count * 2, 4);
  const addresses = take(Int32Array, count * 2, 4);
  const flags = take(Uint8Array, count, 1);
  const dictionaries = {} as Record<DictionaryColumnName, DictionaryColumn>;
  for (const [index, name] of dictionaryColumns.entries()) {
    const values = allValues[index] as string[];
    dictionaries[name] = {
      values,
      codes: hasByteCodes(values) ? take(Uint8Array, count, 1) : take(Uint16Array, count, 2),
    };
  }
  return { count, urlIds, visitedAt, visitors, addresses, flags, dictionaries };
}

function hasByteCodes(values: readonly string[]): boolean {
  return values.length <= 256;
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
