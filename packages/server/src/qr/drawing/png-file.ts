import { crc32, deflateSync } from 'node:zlib';
import type { Rgb } from './check-colours.js';

// Most rows repeat the one above. From level 4 on, zlib takes five times as long for a tenth less.
const packing = { level: 3 };

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const end = chunk('IEND', Buffer.alloc(0));

const colourType = { truecolour: 2, palette: 3 } as const;

/** An image of a palette; rows are packed bits, each with its filter's byte before it. */
export function palettePng(
  side: number,
  bitDepth: 1 | 4 | 8,
  palette: readonly Rgb[],
  rows: Uint8Array,
): Buffer {
  return png(
    side,
    bitDepth,
    colourType.palette,
    [chunk('PLTE', Buffer.from(palette.flat()))],
    rows,
  );
}

export function truecolourPng(side: number, rows: Uint8Array): Buffer {
  return png(side, 8, colourType.truecolour, [], rows);
}

function png(
  side: number,
  bitDepth: number,
  type: number,
  chunks: readonly Buffer[],
  rows: Uint8Array,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = bitDepth;
  header[9] = type;
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...chunks,
    chunk('IDAT', deflateSync(rows, packing)),
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
