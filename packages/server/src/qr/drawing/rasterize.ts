import { parseColour, type Rgb } from '../../contrast.js';
import type { Layout } from './layout.js';
import type { ModuleGrid } from './module-grid.js';
import type { QrDesign } from './qr-design.js';
import type { QrMatrix } from './qr-matrix.js';
import { boxCoverage, type RoundedBox } from './rounded-box.js';
import {
  eachStyledModule,
  finderCorners,
  moduleBox,
  type Style,
  styleOf,
} from './style-presets.js';

export interface Rows {
  /** The shade of each pixel of a row, an index of the colours. */
  readonly shades: Uint8Array;
  height: number;
}

/** A QR code as pixels, without its logo and before it is encoded. */
export interface Raster {
  readonly size: number;
  readonly rows: readonly Rows[];
  readonly colours: readonly Rgba[];
  readonly isTransparent: boolean;
}

type Rgba = readonly [...Rgb, alpha: number];

/** The darkest shade of an antialiased curve. */
const darkest = 15;

interface Tile {
  readonly side: number;
  readonly shades: Uint8Array;
}

export function rasterize(design: QrDesign, { matrix, grid }: Layout): Raster {
  const style = styleOf(design.stylePreset, grid);
  const dark: Rgba = [...parseColour(design.foregroundColor), 255];
  const isTransparent = design.background === 'transparent';
  // Transparent shades have the foreground's colour, so that no halo surrounds curves.
  const light: Rgba = isTransparent
    ? [dark[0], dark[1], dark[2], 0]
    : [...parseColour(design.backgroundColor), 255];
  const { size } = grid;
  if (!style) {
    return { size, rows: drawSquares(matrix, grid), colours: [light, dark], isTransparent };
  }
  const colours = Array.from({ length: darkest + 1 }, (_, shade): Rgba => {
    const mix = (channel: 0 | 1 | 2 | 3) =>
      Math.round(light[channel] + ((dark[channel] - light[channel]) * shade) / darkest);
    return [mix(0), mix(1), mix(2), mix(3)];
  });
  return { size, rows: drawStyled(matrix, grid, style), colours, isTransparent };
}

function drawSquares({ side, dark }: QrMatrix, { size, module, offset }: ModuleGrid): Rows[] {
  const blank = new Uint8Array(size);
  const rows: Rows[] = [{ shades: blank, height: offset }];
  for (let y = 0; y < side; y += 1) {
    const shades = new Uint8Array(size);
    for (let x = 0; x < side; x += 1) {
      const start = offset + x * module;
      if (dark[y * side + x]) shades.fill(1, start, start + module);
    }
    rows.push({ shades, height: module });
  }
  rows.push({ shades: blank, height: size - offset - side * module });
  return rows;
}

function drawStyled(matrix: QrMatrix, grid: ModuleGrid, style: Style): Rows[] {
  const { size, module, offset } = grid;
  const shades = new Uint8Array(size * size);
  const put = ({ side, shades: tile }: Tile, x: number, y: number) => {
    const start = (offset + y * module) * size + offset + x * module;
    for (let row = 0; row < side; row += 1) {
      shades.set(tile.subarray(row * side, (row + 1) * side), start + row * size);
    }
  };
  const { outer, hole, pupil } = style.finder;
  const finder = makeTile(7 * module, (px, py) => {
    const of = (box: RoundedBox) => boxCoverage(box, module, px, py);
    return Math.max(Math.min(of(outer), 1 - of(hole)), of(pupil));
  });
  for (const [x, y] of finderCorners(matrix)) put(finder, x, y);
  const tiles: (Tile | undefined)[] = [];
  eachStyledModule(matrix, style, (x, y, rounded) => {
    const box = moduleBox(rounded);
    tiles[rounded] ??= makeTile(module, (px, py) => boxCoverage(box, module, px, py));
    put(tiles[rounded], x, y);
  });
  const rows: Rows[] = [];
  for (let start = 0; start < shades.length; start += size) {
    const row = shades.subarray(start, start + size);
    const last = rows.at(-1);
    if (last && Buffer.compare(last.shades, row) === 0) last.height += 1;
    else rows.push({ shades: row, height: 1 });
  }
  return rows;
}

function makeTile(side: number, coverage: (x: number, y: number) => number): Tile {
  const shades = new Uint8Array(side * side);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      shades[y * side + x] = Math.round(coverage(x + 0.5, y + 0.5) * darkest);
    }
  }
  return { side, shades };
}

export function pixelBytes({ size, rows, colours, isTransparent }: Raster): Buffer {
  const channels = isTransparent ? 4 : 3;
  const bytes = Buffer.allocUnsafe(size * size * channels);
  const pixels = colours.map((colour) => Buffer.from(colour.slice(0, channels)));
  let at = 0;
  for (const { shades, height } of rows) {
    const first = at;
    // Runs of one shade are long, and filling a run is faster than writing each pixel.
    for (let start = 0; start < size; ) {
      const shade = shades[start] ?? 0;
      let end = start + 1;
      while (end < size && shades[end] === shade) end += 1;
      bytes.fill(pixels[shade] as Buffer, first + start * channels, first + end * channels);
      start = end;
    }
    const stride = size * channels;
    at += stride;
    for (let copy = 1; copy < height; copy += 1) at += bytes.copy(bytes, at, first, first + stride);
  }
  return bytes;
}
