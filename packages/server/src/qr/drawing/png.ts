import { crc32, deflateSync } from 'node:zlib';
import type { Raster } from './rasterize.js';

// Most rows repeat the row above. From level 4 on, zlib takes five times as long and saves a tenth.
const compression = { level: 3 };

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const end = chunk('IEND', Buffer.alloc(0));
const paletteColourType = 3;
// Filter types of rows: PNG, third edition, 9.2.
const filter = { none: 0, up: 2 } as const;

/**
 * Encodes a raster with a palette, with one bit a pixel for two colours and four for more. sharp takes
 * 1.4 to 1.7 times as long.
 */
export function palettePng(raster: Raster): Buffer {
  const { size, colours, isTransparent } = raster;
  const bitDepth = colours.length === 2 ? 1 : 4;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header[8] = bitDepth;
  header[9] = paletteColourType;
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colours.flatMap((colour) => colour.slice(0, 3)))),
    ...(isTransparent ? [chunk('tRNS', Buffer.from(colours.map(([, , , alpha]) => alpha)))] : []),
    chunk('IDAT', deflateSync(packRows(raster, bitDepth), compression)),
    end,
  ]);
}

/** Packs the pixels of each row behind the byte of its filter type. */
function packRows({ size, rows }: Raster, bitDepth: 1 | 4): Buffer {
  const perByte = 8 / bitDepth;
  const stride = 1 + Math.ceil(size / perByte);
  const packed = Buffer.alloc(stride * size);
  let start = 0;
  for (const { shades, height } of rows) {
    const end = start + height * stride;
    packed[start] = filter.none;
    for (let x = 0; x < size; x += perByte) {
      let byte = 0;
      for (let next = x; next < x + perByte; next += 1) {
        byte = (byte << bitDepth) | (shades[next] ?? 0);
      }
      packed[start + 1 + x / perByte] = byte;
    }
    for (start += stride; start < end; start += stride) packed[start] = filter.up;
  }
  return packed;
}

function chunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
