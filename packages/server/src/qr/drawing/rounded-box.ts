/** A square whose corners have separate radii; 0 is a sharp corner. Lengths are in modules. */
export interface RoundedBox {
  readonly left: number;
  readonly top: number;
  readonly side: number;
  /** Clockwise from the top left. */
  readonly radii: readonly [number, number, number, number];
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
