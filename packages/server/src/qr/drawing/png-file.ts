import { crc32, deflateSync } from 'node:zlib';
import type { Rgb } from './check-colours.js';

// Most rows repeat the row above. From level 4 on, zlib takes five times as long and saves a tenth.
const compression = { level: 3 };

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const end = chunk('IEND', Buffer.alloc(0));
const paletteColourType = 3;

/**
 * Encodes a square image with a palette. `rows` holds the packed pixels of each row after the
 * byte of its filter type. Decision 38 compares this writer with sharp.
 */
export function palettePng(
  size: number,
  bitDepth: 1 | 4,
  palette: readonly Rgb[],
  rows: Uint8Array,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header[8] = bitDepth;
  header[9] = paletteColourType;
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, compression)),
    end,
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
