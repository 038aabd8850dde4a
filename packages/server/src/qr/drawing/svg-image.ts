import type { Layout, ModuleGrid } from './layout.js';
import type { QrDesign, QrStylePreset } from './qr-design.js';
import type { QrMatrix } from './qr-matrix.js';

/** Returns an SVG: one path for a solid background, one for all dark modules, and the logo. */
export function svgImage(design: QrDesign, layout: Layout): string {
  const { matrix } = layout;
  const { size, module, offset } = layout.grid;
  const style = styleOf(design.stylePreset, layout.grid);
  const path = style ? styledPath(matrix, style) : squarePath(matrix);
  // Keeps squares sharp when the image is scaled. Curves need antialiasing.
  const crisp = style ? '' : ' shape-rendering="crispEdges"';
  // Cuts the hole out of a finder pattern.
  const fillRule = style ? ' fill-rule="evenodd"' : '';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}"${crisp}>` +
    `${design.background === 'solid' ? `<path fill="${design.backgroundColor}" d="M0 0h${size}v${size}H0z"/>` : ''}` +
    `<path fill="${design.foregroundColor}"${fillRule} transform="translate(${offset} ${offset})scale(${module})" d="${path}"/>` +
    `${logoImage(design, layout)}</svg>\n`
  );
}

function squarePath({ side, dark }: QrMatrix): string {
  let path = '';
  for (let y = 0; y < side; y += 1) {
    const row = y * side;
    for (let x = 0; x < side; x += 1) {
      if (!dark[row + x]) continue;
      const start = x;
      while (x < side && dark[row + x]) x += 1;
      path += `M${start} ${y}h${x - start}v1H${start}z`;
    }
  }
  return path;
}

function styledPath(matrix: QrMatrix, style: Style): string {
  const { outer, hole, pupil } = style.finder;
  let path = '';
  const addAt = (x: number, y: number, box: RoundedBox) => {
    path += boxPath({ ...box, left: box.left + x, top: box.top + y });
  };
  for (const [x, y] of finderCorners(matrix)) {
    for (const box of [outer, hole, pupil]) addAt(x, y, box);
  }
  eachStyledModule(matrix, style, (x, y, rounded) => addAt(x, y, moduleBox(rounded)));
  return path;
}

function logoImage({ logo }: QrDesign, { logoBox }: Layout): string {
  if (!logo || !logoBox) return '';
  const { left, top, width, height } = logoBox;
  const png = Buffer.from(logo.png.buffer, logo.png.byteOffset, logo.png.byteLength);
  return `<image x="${left}" y="${top}" width="${width}" height="${height}" preserveAspectRatio="none" href="data:image/png;base64,${png.toString('base64')}"/>`;
}

/** A square whose corners have separate radii; 0 is a sharp corner. Lengths are in modules. */
export interface RoundedBox {
  readonly left: number;
  readonly top: number;
  readonly side: number;
  /** Clockwise from the top left. */
  readonly radii: readonly [number, number, number, number];
}

/** Returns the box as SVG path data: an absolute start at the top left, then relative commands. */
function boxPath({ left, top, side, radii }: RoundedBox): string {
  const [nw, ne, se, sw] = radii;
  const start = `M${short(left + nw)} ${short(top)}`;
  return `${start}${line('h', side - nw - ne)}${arc(ne, ne, ne)}${line('v', side - ne - se)}${arc(se, -se, se)}${line('h', se + sw - side)}${arc(sw, -sw, -sw)}${line('v', sw + nw - side)}${arc(nw, nw, -nw)}z`;
}

function line(command: 'h' | 'v', length: number): string {
  return Math.abs(length) < 0.001 ? '' : `${command}${short(length)}`;
}

function arc(radius: number, x: number, y: number): string {
  return radius === 0 ? '' : `a${short(radius)} ${short(radius)} 0 0 1 ${short(x)} ${short(y)}`;
}

function short(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

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

const corners = { nw: 1, ne: 2, se: 4, sw: 8 } as const;
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

function moduleBox(rounded: number): RoundedBox {
  const at = (corner: number) => (rounded & corner ? radius : 0);
  return {
    left: 0,
    top: 0,
    side: 1,
    radii: [at(corners.nw), at(corners.ne), at(corners.se), at(corners.sw)],
  };
}

/** Returns the top left module of each finder pattern, as column and row. */
function finderCorners({ side }: QrMatrix): readonly (readonly [number, number])[] {
  return [
    [0, 0],
    [side - 7, 0],
    [0, side - 7],
  ];
}

/** Calls `visit` for each dark module outside the finder patterns. */
function eachStyledModule(
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
