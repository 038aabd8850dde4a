import { type Rgb, rgbOf } from './check-colours.js';
import type { ModuleGrid } from './module-grid.js';
import { type Patch, type Picture, patchRow, writeRgbRow } from './picture.js';
import { palettePng, truecolourPng } from './png-file.js';
import type { QrMatrix } from './qr-matrix.js';

// Of a row: PNG, third edition, 9.2.
const filter = { none: 0, up: 2 } as const;

/** Plain squares in two colours: one bit a pixel, and no raster on the way. */
export function squaresPng(
  { side, dark }: QrMatrix,
  { size, module, offset }: ModuleGrid,
  [ground, ink]: readonly [Rgb, Rgb],
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
    rows[first] = filter.up;
    writeDifference(rows, first + 1, line, above);
    above.set(line);
  }
  for (let y = 1; y < size; y += 1) rows[y * stride] = filter.up;
  return palettePng(size, 1, [ground, ink], rows);
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

/** Any picture, in as few bits a pixel as its colours allow; no colour is changed. */
export function picturePng(picture: Picture): Buffer {
  if (!picture.patch) return shadesPng(picture);
  const indexed = indexPatch(picture, picture.patch);
  return indexed ? indexedPng(picture, picture.patch, indexed) : rgbPng(picture);
}

function shadesPng(picture: Picture): Buffer {
  const { size, shades, colours } = picture;
  const stride = 1 + Math.ceil(size / 2);
  const rows = Buffer.alloc(stride * size);
  eachRow(picture, (y, isRepeated) => {
    const start = y * stride;
    if (isRepeated) {
      rows[start] = filter.up;
      return;
    }
    const first = y * size;
    for (let x = 0; x < size; x += 2) {
      const right = x + 1 < size ? (shades[first + x + 1] ?? 0) : 0;
      rows[start + 1 + (x >> 1)] = ((shades[first + x] ?? 0) << 4) | right;
    }
  });
  return palettePng(size, 4, colours, rows);
}

interface IndexedPatch {
  readonly palette: readonly Rgb[];
  readonly indices: Uint8Array;
}

/** The patch by indices of a palette; undefined when it has too many colours. */
function indexPatch({ colours }: Picture, { rgb }: Patch): IndexedPatch | undefined {
  const palette = [...colours];
  const known = new Map<number, number>();
  const indices = new Uint8Array(rgb.length / 3);
  for (let pixel = 0; pixel < indices.length; pixel += 1) {
    const at = pixel * 3;
    const colour = ((rgb[at] ?? 0) << 16) | ((rgb[at + 1] ?? 0) << 8) | (rgb[at + 2] ?? 0);
    let index = known.get(colour);
    if (index === undefined) {
      if (palette.length === 256) return undefined;
      index = palette.push(rgbOf(colour)) - 1;
      known.set(colour, index);
    }
    indices[pixel] = index;
  }
  return { palette, indices };
}

function indexedPng(picture: Picture, patch: Patch, { palette, indices }: IndexedPatch): Buffer {
  const { size, shades } = picture;
  const stride = 1 + size;
  const rows = Buffer.alloc(stride * size);
  eachRow(picture, (y, isRepeated) => {
    const start = y * stride;
    if (isRepeated) {
      rows[start] = filter.up;
      return;
    }
    rows.set(shades.subarray(y * size, (y + 1) * size), start + 1);
    const row = patchRow(patch, y, 1, indices);
    if (row) rows.set(row, start + 1 + patch.box.left);
  });
  return palettePng(size, 8, palette, rows);
}

function rgbPng(picture: Picture): Buffer {
  const { size } = picture;
  const stride = 1 + size * 3;
  const rows = Buffer.alloc(stride * size);
  let line = new Uint8Array(size * 3);
  let above = new Uint8Array(size * 3);
  eachRow(picture, (y, isRepeated) => {
    const start = y * stride;
    rows[start] = filter.up;
    if (isRepeated) return;
    writeRgbRow(picture, y, line, 0);
    writeDifference(rows, start + 1, line, above);
    [line, above] = [above, line];
  });
  return truecolourPng(size, rows);
}

function writeDifference(rows: Buffer, start: number, line: Uint8Array, above: Uint8Array): void {
  for (let index = 0; index < line.length; index += 1) {
    rows[start + index] = (line[index] as number) - (above[index] as number);
  }
}

/** Tells of each row whether it is the one above once more. */
function eachRow(
  { size, shades, patch }: Picture,
  visit: (y: number, isRepeated: boolean) => void,
): void {
  const rows = Buffer.from(shades.buffer, shades.byteOffset, shades.byteLength);
  const isPatched = (y: number) =>
    patch !== undefined && y >= patch.box.top && y < patch.box.top + patch.box.height;
  for (let y = 0; y < size; y += 1) {
    const isPlain = y > 0 && !isPatched(y) && !isPatched(y - 1);
    const start = y * size;
    visit(y, isPlain && rows.compare(rows, start - size, start, start, start + size) === 0);
  }
}
