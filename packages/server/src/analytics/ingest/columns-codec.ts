import { type VisitColumns, type WordColumn, type Words, wordColumns } from './visit-columns.js';

// version, count, whether there are ids, bytes of the texts
const headerBytes = 16;
const version = 1;
// Numbers are read where they lie, so that each run of them begins at a multiple of its own size.
const alignment = 8;

/**
 * Columns as bytes: a header, runs of little-endian numbers (as every machine that Node
 * runs on today has them), and the texts as JSON. */
export function encodeColumns(columns: VisitColumns): Buffer {
  const texts = Buffer.from(
    JSON.stringify(wordColumns.map((column) => columns.words[column].texts)),
  );
  const runs = runsOf(columns);
  const size = runs.reduce((sum, run) => sum + aligned(run.byteLength), headerBytes);
  const bytes = Buffer.alloc(size + texts.length);
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, headerBytes / 4);
  header.set([version, columns.count, columns.urlIds ? 1 : 0, texts.length]);
  let at = headerBytes;
  for (const run of runs) {
    bytes.set(new Uint8Array(run.buffer, run.byteOffset, run.byteLength), at);
    at += aligned(run.byteLength);
  }
  bytes.set(texts, at);
  return bytes;
}

type Run = Float64Array | Int32Array | Uint16Array | Uint8Array;

function runsOf(columns: VisitColumns): Run[] {
  return [
    ...(columns.urlIds ? [columns.urlIds] : []),
    columns.visitedAt,
    columns.visitors,
    columns.addresses,
    columns.marks,
    ...wordColumns.map((column) => {
      const { texts, codes } = columns.words[column];
      return isNarrow(texts) ? Uint8Array.from(codes) : codes;
    }),
  ];
}

/** The columns that bytes hold; they share the bytes' memory. Throws when it is something else. */
export function decodeColumns(stored: Uint8Array): VisitColumns {
  const bytes = stored.byteOffset % alignment === 0 ? stored : Uint8Array.from(stored);
  const { buffer, byteOffset } = bytes;
  const [found, count = 0, hasIds = 0, textBytes = 0] = new Uint32Array(
    buffer,
    byteOffset,
    headerBytes / 4,
  );
  if (found !== version) throw new Error(`visits of version ${found} cannot be read`);
  const texts = JSON.parse(
    Buffer.from(buffer, byteOffset + bytes.length - textBytes, textBytes).toString(),
  ) as string[][];
  let at = byteOffset + headerBytes;
  const take = <R>(
    kind: new (from: ArrayBufferLike, at: number, length: number) => R,
    length: number,
    size: number,
  ): R => {
    const run = new kind(buffer, at, length);
    at += aligned(length * size);
    return run;
  };
  const urlIds = hasIds === 1 ? take(Float64Array, count, 8) : undefined;
  const visitedAt = take(Float64Array, count, 8);
  const visitors = take(Int32Array, count * 2, 4);
  const addresses = take(Int32Array, count * 2, 4);
  const marks = take(Uint8Array, count, 1);
  const words = {} as Record<WordColumn, Words>;
  for (const [index, column] of wordColumns.entries()) {
    const own = texts[index] as string[];
    words[column] = {
      texts: own,
      codes: isNarrow(own) ? take(Uint8Array, count, 1) : take(Uint16Array, count, 2),
    };
  }
  return { count, urlIds, visitedAt, visitors, addresses, marks, words };
}

function isNarrow(texts: readonly string[]): boolean {
  return texts.length <= 256;
}

function aligned(size: number): number {
  return Math.ceil(size / alignment) * alignment;
}
