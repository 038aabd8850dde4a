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
  return Math.min(1, Math.max(0, radius - Math.hypot(outX, outY) + 0.5));
}

/** Returns the box as SVG path data: an absolute start at the top left, then relative commands. */
export function boxPath({ left, top, side, radii }: RoundedBox): string {
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
