import { create, type QRCodeErrorCorrectionLevel } from 'qrcode';

interface Shape {
  readonly level: QRCodeErrorCorrectionLevel;
  readonly hasColor: boolean;
  readonly columns: number;
}

/** The width of the quiet zone in modules: ISO/IEC 18004, 9.1. */
const quietZone = 4;

/**
 * Renders a QR code as text with two rows of modules per line, without style and logo. Returns
 * undefined when the code is wider than `columns`. Each line resets its colors.
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

// Palette colors that themes do not change, because a QR code must be dark on light.
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

// Without colors, blocks are the light modules, which is correct on a dark terminal. On a light
// terminal the code is inverted, which most phones can read.
function drawPlain(side: number, isLight: IsLight): string {
  let line = '';
  for (let column = 0; column < side; column++) {
    const [upper, lower] = [isLight(column, false), isLight(column, true)];
    line += upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
  }
  return line;
}
