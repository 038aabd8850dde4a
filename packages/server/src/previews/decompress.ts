import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

// A body that was cut is decompressed as far as it goes.
const zlibOptions = { finishFlush: constants.Z_SYNC_FLUSH };
const decompressors: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(zlibOptions)],
  ['x-gzip', () => createGunzip(zlibOptions)],
  ['deflate', () => createInflate(zlibOptions)],
  ['br', () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
]);

/** The value of an Accept-Encoding header for bodies that `decompress` can read. */
export const acceptedEncodings = 'gzip, br';

/**
 * Returns the beginning of a compressed body, at most `maxBytes`: decompression stops there, whatever size
 * the body claims. Returns undefined if the encoding is unknown, or the body is not in it.
 */
export async function decompress(
  body: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return body.subarray(0, maxBytes);
  const decompressor = decompressors.get(name)?.();
  if (!decompressor) return undefined;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    decompressor.end(body);
    // Ending the loop destroys the stream.
    for await (const part of decompressor as AsyncIterable<Uint8Array>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // What came before the fault suffices.
    if (bytes === 0) return undefined;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}
