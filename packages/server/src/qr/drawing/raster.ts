import type { ModuleGrid } from './module-grid.js';
import type { QrStylePreset } from './qr-design.js';
import type { QrMatrix } from './qr-matrix.js';
import { boxCoverage } from './rounded-box.js';
import {
  eachStyledModule,
  type FinderShape,
  finderCorners,
  moduleBox,
  type Style,
  styleOf,
} from './style-presets.js';

/** Shades from ground (0) to foreground: as many as 4 bits of a palette hold. */
export const darkest = 15;

/** How dark each pixel is, 0 to `darkest`, row by row. */
export type Shades = Uint8Array;

/** A square of shades that is copied to where a module or a pattern lies. */
interface Tile {
  readonly side: number;
  readonly shades: Shades;
}

export function drawShades(matrix: QrMatrix, grid: ModuleGrid, preset: QrStylePreset): Shades {
  const style = styleOf(preset, grid);
  return style ? drawStyled(matrix, grid, style) : drawSquares(matrix, grid);
}

function drawSquares({ side, dark }: QrMatrix, { size, module, offset }: ModuleGrid): Shades {
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

function drawStyled(matrix: QrMatrix, grid: ModuleGrid, style: Style): Shades {
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
