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

function styledPath({ side, dark, reserved }: QrMatrix, style: Style): string {
  let path = '';
  // Through the centre of a finder pattern, the ratio of its nested boxes is always 1:1:3:1:1.
  for (const [x, y] of [
    [0, 0],
    [side - 7, 0],
    [0, side - 7],
  ] as const) {
    for (const [inset, radii] of style.finder.entries()) {
      path += boxPath(x + inset, y + inset, 7 - 2 * inset, radii);
    }
  }
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= side || y >= side ? 0 : (dark[y * side + x] ?? 0);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      if (!dark[y * side + x] || isInFinder(x, y, side)) continue;
      const radiiOf = reserved[y * side + x] ? style.ofPatterns : style.ofData;
      const radii = radiiOf(at(x, y - 1), at(x + 1, y), at(x, y + 1), at(x - 1, y));
      path += boxPath(x, y, 1, radii);
    }
  }
  return path;
}

function isInFinder(x: number, y: number, side: number): boolean {
  return (x < 7 && (y < 7 || y >= side - 7)) || (x >= side - 7 && y < 7);
}

function logoImage({ logo }: QrDesign, { logoBox }: Layout): string {
  if (!logo || !logoBox) return '';
  const { left, top, width, height } = logoBox;
  const png = Buffer.from(logo.png.buffer, logo.png.byteOffset, logo.png.byteLength);
  return `<image x="${left}" y="${top}" width="${width}" height="${height}" preserveAspectRatio="none" href="data:image/png;base64,${png.toString('base64')}"/>`;
}

/** The radii of the corners of a square in modules, clockwise from the top left; 0 is a sharp corner. */
type Radii = readonly [number, number, number, number];

/** Returns a square as SVG path data: an absolute start at the top left, then relative commands. */
function boxPath(left: number, top: number, side: number, [nw, ne, se, sw]: Radii): string {
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

/** Returns the corners of a dark module. A light neighbour is 0. */
type RadiiOf = (above: number, right: number, below: number, left: number) => Radii;

interface Style {
  /** The corners of the edge of a finder pattern, of its hole and of its pupil. */
  readonly finder: readonly [edge: Radii, hole: Radii, pupil: Radii];
  readonly ofData: RadiiOf;
  /** For alignment and timing patterns and format information: decoders need their solid lines. */
  readonly ofPatterns: RadiiOf;
}

const same = (radius: number): Radii => [radius, radius, radius, radius];
const leaf = (radius: number): Radii => [radius, 0, radius, 0];

/** The radius of the corner between two neighbours. */
const between = (one: number, other: number) => (one | other ? 0 : 0.5);

const joined: RadiiOf = (above, right, below, left) => [
  between(above, left),
  between(above, right),
  between(below, right),
  between(below, left),
];

const leaves: RadiiOf = (above, right, below, left) => [
  between(above, left),
  0,
  between(below, right),
  0,
];

const styles: Record<Exclude<QrStylePreset, 'default'>, Style> = {
  rounded: { finder: [same(2), same(1.1), same(0.9)], ofData: joined, ofPatterns: joined },
  dots: {
    finder: [same(2.25), same(1.35), same(1.2)],
    ofData: () => same(0.5),
    ofPatterns: joined,
  },
  classy: { finder: [leaf(2.5), leaf(1.6), leaf(1.2)], ofData: leaves, ofPatterns: leaves },
};

// Below 5 pixels, curves are hardly visible, and zbar cannot read some antialiased codes.
const minStyledModulePixels = 5;

/** Returns undefined for plain squares: the preset `default`, and modules too small for curves. */
export function styleOf(preset: QrStylePreset, { module }: ModuleGrid): Style | undefined {
  return preset === 'default' || module < minStyledModulePixels ? undefined : styles[preset];
}
