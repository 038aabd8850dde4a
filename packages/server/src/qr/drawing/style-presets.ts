import type { ModuleGrid } from './module-grid.js';
import type { QrStylePreset } from './qr-design.js';
import type { QrMatrix } from './qr-matrix.js';
import type { RoundedBox } from './rounded-box.js';

type Radii = RoundedBox['radii'];

/** Returns the rounded corners of a dark module as bits of `corners`. A light neighbour is 0. */
type RoundedCorners = (above: number, right: number, below: number, left: number) => number;

export interface Style {
  readonly finder: ReturnType<typeof finder>;
  readonly ofData: RoundedCorners;
  /** For alignment and timing patterns and format information: decoders need their solid lines. */
  readonly ofPatterns: RoundedCorners;
}

const radius = 0.5;

export const corners = { nw: 1, ne: 2, se: 4, sw: 8 } as const;
const everyCorner = 15;

/**
 * Returns the three nested boxes of a finder pattern. Positions are in modules from its corner. Through
 * its centre, the ratio is always 1:1:3:1:1.
 */
function finder(outer: Radii, hole: Radii, pupil: Radii) {
  return {
    outer: { left: 0, top: 0, side: 7, radii: outer },
    hole: { left: 1, top: 1, side: 5, radii: hole },
    pupil: { left: 2, top: 2, side: 3, radii: pupil },
  };
}

const same = (radius: number): Radii => [radius, radius, radius, radius];
const leaf = (radius: number): Radii => [radius, 0, radius, 0];

const joined: RoundedCorners = (above, right, below, left) =>
  (above | left ? 0 : corners.nw) |
  (above | right ? 0 : corners.ne) |
  (below | right ? 0 : corners.se) |
  (below | left ? 0 : corners.sw);

const leaves: RoundedCorners = (above, right, below, left) =>
  (above | left ? 0 : corners.nw) | (below | right ? 0 : corners.se);

const styles: Record<Exclude<QrStylePreset, 'default'>, Style> = {
  rounded: { finder: finder(same(2), same(1.1), same(0.9)), ofData: joined, ofPatterns: joined },
  dots: {
    finder: finder(same(2.25), same(1.35), same(1.2)),
    ofData: () => everyCorner,
    ofPatterns: joined,
  },
  classy: { finder: finder(leaf(2.5), leaf(1.6), leaf(1.2)), ofData: leaves, ofPatterns: leaves },
};

// Below 5 pixels, curves are hardly visible, and zbar cannot read some antialiased codes.
const minStyledModulePixels = 5;

/** Returns undefined for plain squares: the preset `default`, and modules too small for curves. */
export function styleOf(preset: QrStylePreset, { module }: ModuleGrid): Style | undefined {
  return preset === 'default' || module < minStyledModulePixels ? undefined : styles[preset];
}

export function moduleBox(rounded: number): RoundedBox {
  const at = (corner: number) => (rounded & corner ? radius : 0);
  return {
    left: 0,
    top: 0,
    side: 1,
    radii: [at(corners.nw), at(corners.ne), at(corners.se), at(corners.sw)],
  };
}

/** Returns the top left module of each finder pattern, as column and row. */
export function finderCorners({ side }: QrMatrix): readonly (readonly [number, number])[] {
  return [
    [0, 0],
    [side - 7, 0],
    [0, side - 7],
  ];
}

/** Calls `visit` for each dark module outside the finder patterns. */
export function eachStyledModule(
  matrix: QrMatrix,
  style: Style,
  visit: (x: number, y: number, rounded: number) => void,
): void {
  const { side, dark, reserved } = matrix;
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= side || y >= side ? 0 : (dark[y * side + x] ?? 0);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      if (!dark[y * side + x] || isInFinder(x, y, side)) continue;
      const rounded = reserved[y * side + x] ? style.ofPatterns : style.ofData;
      visit(x, y, rounded(at(x, y - 1), at(x + 1, y), at(x, y + 1), at(x - 1, y)));
    }
  }
}

function isInFinder(x: number, y: number, side: number): boolean {
  return (x < 7 && (y < 7 || y >= side - 7)) || (x >= side - 7 && y < 7);
}
