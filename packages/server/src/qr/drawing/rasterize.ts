import { parseColour, type Rgb } from './check-colours.js';
import type { Layout } from './layout.js';
import type { ModuleGrid } from './module-grid.js';
import type { QrDesign } from './qr-design.js';
import type { QrMatrix } from './qr-matrix.js';
import { darkest, type Raster } from './raster.js';
import { boxCoverage } from './rounded-box.js';
import {
  eachStyledModule,
  type FinderShape,
  finderCorners,
  moduleBox,
  type Style,
  styleOf,
} from './style-presets.js';

/** A square of shades that is copied to the position of a module or a pattern. */
interface Tile {
  readonly side: number;
  readonly shades: Uint8Array;
}

export function rasterize(design: QrDesign, { matrix, grid }: Layout): Raster {
  const style = styleOf(design.stylePreset, grid);
  const shades = style ? drawStyled(matrix, grid, style) : drawSquares(matrix, grid);
  return { size: grid.size, shades, colours: shadeColours(design) };
}

/** Returns the colours from background to foreground. */
function shadeColours({ backgroundColor, foregroundColor }: QrDesign): readonly Rgb[] {
  const light = parseColour(backgroundColor);
  const dark = parseColour(foregroundColor);
  return Array.from({ length: darkest + 1 }, (_, shade) => {
    const mix = (channel: 0 | 1 | 2) =>
      Math.round(light[channel] + ((dark[channel] - light[channel]) * shade) / darkest);
    return [mix(0), mix(1), mix(2)];
  });
}

function drawSquares({ side, dark }: QrMatrix, { size, module, offset }: ModuleGrid): Uint8Array {
  const shades = new Uint8Array(size * size);
  for (let y = 0; y < side; y += 1) {
    const first = (offset + y * module) * size;
    for (let x = 0; x < side; x += 1) {
      if (!dark[y * side + x]) continue;
      const start = first + offset + x * module;
      shades.fill(darkest, start, start + module);
    }
    for (let row = 1; row < module; row += 1) {
      shades.copyWithin(first + row * size, first, first + size);
    }
  }
  return shades;
}

function drawStyled(matrix: QrMatrix, grid: ModuleGrid, style: Style): Uint8Array {
  const { size, module, offset } = grid;
  const shades = new Uint8Array(size * size);
  const put = ({ side, shades: tile }: Tile, x: number, y: number) => {
    const start = (offset + y * module) * size + offset + x * module;
    for (let row = 0; row < side; row += 1) {
      shades.set(tile.subarray(row * side, (row + 1) * side), start + row * size);
    }
  };
  const finder = finderTile(style.finder, module);
  for (const [x, y] of finderCorners(matrix)) put(finder, x, y);
  const tiles: (Tile | undefined)[] = [];
  eachStyledModule(matrix, style, (x, y, rounded) => {
    const box = moduleBox(rounded);
    tiles[rounded] ??= makeTile(module, (px, py) => boxCoverage(box, module, px, py));
    put(tiles[rounded], x, y);
  });
  return shades;
}

function finderTile({ outer, hole, pupil }: FinderShape, module: number): Tile {
  const of = (box: typeof outer, x: number, y: number) => boxCoverage(box, module, x, y);
  return makeTile(7 * module, (x, y) =>
    Math.max(Math.min(of(outer, x, y), 1 - of(hole, x, y)), of(pupil, x, y)),
  );
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
