import { blockOfCodeword, codewordOfModule } from './codewords.js';
import type { ModuleGrid } from './module-grid.js';
import type { QrLogo } from './qr-design.js';
import type { QrMatrix } from './qr-matrix.js';

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

// Ground at each side of the logo, in modules.
const margin = 1;
// Of what the level corrects; the rest is for dirt, glare and folds.
const shareForLogo = 0.7;
// Larger logos hide what decoders find their way by, whatever could be corrected: zbar loses codes
// with black logos of a third of the side, and of a fourth where one covers an alignment pattern.
const largestShareOfSideOverPattern = 0.2;
const largestShareOfSide = 0.25;
// Smaller ones cannot be recognised.
const smallestShareOfSide = 0.15;
// The finder patterns, their separators and the format beside them.
const patternWidth = 9;

/**
 * The modules to clear for a logo of this shape, as many as the code can do without; undefined
 * when that would be too few to show the logo.
 */
export function clearedForLogo(matrix: QrMatrix, logo: QrLogo): Box | undefined {
  const { side } = matrix;
  const isCorrectable = correctability(matrix);
  const flatness = Math.min(logo.width / logo.height, logo.height / logo.width);
  const largest = Math.min(
    side - 2 * patternWidth,
    Math.floor(
      side * (hasCentralPattern(matrix) ? largestShareOfSideOverPattern : largestShareOfSide),
    ),
  );
  const smallest = Math.max(3, side * smallestShareOfSide) + 2 * margin;
  // Odd as the code's own side is, so that the logo's middle is the code's.
  for (let long = largest - (1 - (largest % 2)); long >= smallest; long -= 2) {
    const short = oddAtLeast((long - 2 * margin) * flatness + 2 * margin);
    const [width, height] = logo.width >= logo.height ? [long, short] : [short, long];
    const box = { left: (side - width) / 2, top: (side - height) / 2, width, height };
    if (isCorrectable(box)) return box;
  }
  return undefined;
}

/** The logo's pixels in the middle of the cleared modules, as large as its shape allows. */
export function logoPixels(cleared: Box, logo: QrLogo, { module, offset }: ModuleGrid): Box {
  const room = (modules: number) => (modules - 2 * margin) * module;
  const scale = Math.min(room(cleared.width) / logo.width, room(cleared.height) / logo.height);
  const width = Math.max(1, Math.round(logo.width * scale));
  const height = Math.max(1, Math.round(logo.height * scale));
  const middle = (start: number, extent: number, own: number) =>
    offset + Math.round((start + extent / 2) * module - own / 2);
  return {
    left: middle(cleared.left, cleared.width, width),
    top: middle(cleared.top, cleared.height, height),
    width,
    height,
  };
}

/** The matrix without what lies under the logo. */
export function clearModules(matrix: QrMatrix, { left, top, width, height }: Box): QrMatrix {
  const dark = matrix.dark.slice();
  for (let y = top; y < top + height; y += 1) {
    dark.fill(0, y * matrix.side + left, y * matrix.side + left + width);
  }
  return { ...matrix, dark };
}

/** Whether each block can mend its codewords under a box, all of which count as wrong. */
function correctability(matrix: QrMatrix): (box: Box) => boolean {
  const { side, blockCount, correctablePerBlock } = matrix;
  const codewords = codewordOfModule(matrix);
  const blockOf = blockOfCodeword(matrix);
  const bearable = Math.floor(correctablePerBlock * shareForLogo);
  return ({ left, top, width, height }) => {
    const hidden = new Set<number>();
    for (let y = top; y < top + height; y += 1) {
      for (let x = left; x < left + width; x += 1) hidden.add(codewords[y * side + x] ?? -1);
    }
    hidden.delete(-1);
    const wrong = new Uint16Array(blockCount);
    for (const codeword of hidden) {
      const block = blockOf(codeword);
      wrong[block] = (wrong[block] ?? 0) + 1;
    }
    return wrong.every((count) => count <= bearable);
  };
}

/** Whether an alignment pattern lies in the middle, where logos go. */
function hasCentralPattern({ side, reserved }: QrMatrix): boolean {
  return reserved[(side * side - 1) / 2] === 1;
}

function oddAtLeast(value: number): number {
  // A rounding error must not cost two modules.
  const whole = Math.max(3, Math.ceil(value - 1e-6));
  return whole % 2 === 1 ? whole : whole + 1;
}
