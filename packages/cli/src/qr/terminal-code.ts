import { create, type QRCodeErrorCorrectionLevel } from 'qrcode';

interface Shape {
  readonly level: QRCodeErrorCorrectionLevel;
  readonly hasColor: boolean;
  readonly columns: number;
}

/** Modules around the code that must stay light: ISO/IEC 18004, 9.1. */
const quietZone = 4;

/**
 * A code as text, two rows of modules a line; undefined where it does not fit. It carries what the
 * code's picture carries, drawn plainly. Lines have no end, and no colour goes beyond its line.
 */
export function terminalCode(payload: string, shape: Shape): string | undefined {
  const { modules } = create(payload, { errorCorrectionLevel: shape.level });
  const side = modules.size + 2 * quietZone;
  if (side > shape.columns) return undefined;
  const isLight = (row: number, column: number) => {
    const [y, x] = [row - quietZone, column - quietZone];
    const isInside = y >= 0 && x >= 0 && y < modules.size && x < modules.size;
    return !isInside || modules.get(y, x) === 0;
  };
  const draw = shape.hasColor ? drawColored : drawPlain;
  const lines: string[] = [];
  for (let row = 0; row < side; row += 2) {
    lines.push(draw(side, (column, isLower) => isLight(row + Number(isLower), column)));
  }
  return lines.join('\n');
}

type IsLight = (column: number, isLower: boolean) => boolean;

// Of the palette that themes do not change: a code must be dark on light whatever they are.
const dark = 16;
const light = 231;

function drawColored(side: number, isLight: IsLight): string {
  let line = '';
  let before = '';
  for (let column = 0; column < side; column++) {
    const [upper, lower] = [false, true].map((half) => (isLight(column, half) ? light : dark));
    const color = `\u001b[38;5;${upper};48;5;${lower}m`;
    line += color === before ? '▀' : `${color}▀`;
    before = color;
  }
  return `${line}\u001b[39;49m`;
}

// Without colours blocks are the light modules: right on a dark terminal. On a light one the code
// comes out inverted, which most phones read as well.
function drawPlain(side: number, isLight: IsLight): string {
  let line = '';
  for (let column = 0; column < side; column++) {
    const [upper, lower] = [isLight(column, false), isLight(column, true)];
    line += upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
  }
  return line;
}
