import type { Rgb } from './check-colours.js';
import type { ModuleGrid } from './module-grid.js';
import { palettePng } from './png-file.js';
import type { QrMatrix } from './qr-matrix.js';
import type { Raster } from './raster.js';

// Filter types of rows: PNG, third edition, 9.2.
const filter = { none: 0, up: 2 } as const;

/** Encodes plain squares in two colours, with one bit a pixel. Needs no raster. */
export function squaresPng(
  { side, dark }: QrMatrix,
  { size, module, offset }: ModuleGrid,
  colours: readonly [background: Rgb, foreground: Rgb],
): Buffer {
  const stride = 1 + Math.ceil(size / 8);
  const rows = Buffer.alloc(stride * size);
  const line = new Uint8Array(stride - 1);
  const above = new Uint8Array(stride - 1);
  for (let y = 0; y <= side; y += 1) {
    line.fill(0);
    if (y < side) {
      for (let x = 0; x < side; x += 1) {
        if (!dark[y * side + x]) continue;
        const start = x;
        while (x < side && dark[y * side + x]) x += 1;
        setBits(line, offset + start * module, offset + x * module);
      }
    }
    // Only the first row of a module differs from the row above it.
    const first = (offset + y * module) * stride;
    for (let index = 0; index < line.length; index += 1) {
      rows[first + 1 + index] = (line[index] as number) - (above[index] as number);
    }
    above.set(line);
  }
  for (let y = 0; y < size; y += 1) rows[y * stride] = filter.up;
  return palettePng(size, 1, colours, rows);
}

function setBits(line: Uint8Array, from: number, to: number): void {
  const first = from >> 3;
  const last = to >> 3;
  const head = 0xff >> (from & 7);
  const tail = 0xff & ~(0xff >> (to & 7));
  if (first === last) {
    line[first] = (line[first] ?? 0) | (head & tail);
    return;
  }
  line[first] = (line[first] ?? 0) | head;
  line.fill(0xff, first + 1, last);
  if (tail) line[last] = (line[last] ?? 0) | tail;
}

/** Encodes a raster with four bits a pixel. */
export function shadesPng({ size, shades, colours }: Raster): Buffer {
  const stride = 1 + Math.ceil(size / 2);
  const rows = Buffer.alloc(stride * size);
  const pixels = Buffer.from(shades.buffer, shades.byteOffset, shades.byteLength);
  for (let y = 0; y < size; y += 1) {
    const start = y * stride;
    const first = y * size;
    const repeatsRowAbove =
      y > 0 && pixels.compare(pixels, first - size, first, first, first + size) === 0;
    rows[start] = repeatsRowAbove ? filter.up : filter.none;
    if (repeatsRowAbove) continue;
    for (let x = 0; x < size; x += 2) {
      const right = x + 1 < size ? (shades[first + x + 1] ?? 0) : 0;
      rows[start + 1 + (x >> 1)] = ((shades[first + x] ?? 0) << 4) | right;
    }
  }
  return palettePng(size, 4, colours, rows);
}
