/** A square whose corners have separate radii; 0 is a sharp corner. Lengths are in modules. */
export interface RoundedBox {
  readonly left: number;
  readonly top: number;
  readonly side: number;
  /** Clockwise from the top left. */
  readonly radii: readonly [number, number, number, number];
}

/** Returns the share of a pixel, 0 to 1, inside a box. `x` and `y` are the pixel's centre. */
export function boxCoverage(box: RoundedBox, module: number, x: number, y: number): number {
  const left = box.left * module;
  const top = box.top * module;
  const side = box.side * module;
  const inside = Math.min(x - left, left + side - x, y - top, top + side - y) + 0.5;
  if (inside <= 0) return 0;
  const isRight = x > left + side / 2;
  const isLow = y > top + side / 2;
  const radius = box.radii[isLow ? (isRight ? 2 : 3) : isRight ? 1 : 0] * module;
  // Distances from the centre of the corner's arc. One is at most 0 for a pixel outside the corner.
  const outX = isRight ? x - (left + side - radius) : left + radius - x;
  const outY = isLow ? y - (top + side - radius) : top + radius - y;
  if (outX <= 0 || outY <= 0) return Math.min(1, inside);
  return clamp(radius - Math.hypot(outX, outY) + 0.5);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** Returns the box as SVG path data: an absolute start at the top left, then relative commands. */
export function boxPath({ left, top, side, radii }: RoundedBox, isHole = false): string {
  const [nw, ne, se, sw] = radii;
  const start = `M${short(left + nw)} ${short(top)}`;
  if (isHole) {
    // Runs anticlockwise, so that the nonzero fill rule cuts the hole out.
    const corner = (radius: number, x: number, y: number) => arc(radius, x, y, 0);
    return `${start}${corner(nw, -nw, nw)}${line('v', side - nw - sw)}${corner(sw, sw, sw)}${line('h', side - sw - se)}${corner(se, se, -se)}${line('v', ne + se - side)}${corner(ne, -ne, -ne)}z`;
  }
  const corner = (radius: number, x: number, y: number) => arc(radius, x, y, 1);
  return `${start}${line('h', side - nw - ne)}${corner(ne, ne, ne)}${line('v', side - ne - se)}${corner(se, -se, se)}${line('h', se + sw - side)}${corner(sw, -sw, -sw)}${line('v', sw + nw - side)}${corner(nw, nw, -nw)}z`;
}

function line(command: 'h' | 'v', length: number): string {
  return Math.abs(length) < 0.001 ? '' : `${command}${short(length)}`;
}

function arc(radius: number, x: number, y: number, sweep: 0 | 1): string {
  return radius === 0
    ? ''
    : `a${short(radius)} ${short(radius)} 0 0 ${sweep} ${short(x)} ${short(y)}`;
}

function short(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
