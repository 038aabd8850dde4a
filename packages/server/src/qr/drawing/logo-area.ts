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

// Light modules between the logo and the code.
const margin = 1;
// The share of the correctable codewords that a logo may hide. Dirt, glare and folds need the rest.
const shareForLogo = 0.7;
// Decoders fail on larger logos even if all codewords could be corrected. For black logos, zbar fails
// at a third of the side, or at a fourth if the logo covers an alignment pattern.
const maxShareOfSideOverPattern = 0.2;
const maxShareOfSide = 0.25;
// Smaller logos are unrecognisable.
const minShareOfSide = 0.15;
// A finder pattern with its separator and the format information.
const patternWidth = 9;

/**
 * Returns the largest box of modules that can be cleared for a logo of this shape. Undefined when
 * the code is readable only with a logo too small to recognise.
 */
export function largestLogoArea(matrix: QrMatrix, logo: QrLogo): Box | undefined {
  const { side, reserved } = matrix;
  // Logos are at the centre.
  const coversPattern = reserved[(side * side - 1) / 2] === 1;
  const isCorrectable = correctability(matrix);
  const flatness = Math.min(logo.width / logo.height, logo.height / logo.width);
  const largest = Math.min(
    side - 2 * patternWidth,
    Math.floor(side * (coversPattern ? maxShareOfSideOverPattern : maxShareOfSide)),
  );
  const smallest = Math.max(3, side * minShareOfSide) + 2 * margin;
  // The code's side is odd, so only a box with odd sides is centred.
  for (let long = largest - (1 - (largest % 2)); long >= smallest; long -= 2) {
    const short = oddAtLeast((long - 2 * margin) * flatness + 2 * margin);
    const [width, height] = logo.width >= logo.height ? [long, short] : [short, long];
    const box = { left: (side - width) / 2, top: (side - height) / 2, width, height };
    if (isCorrectable(box)) return box;
  }
  return undefined;
}

/** Returns the largest box in pixels for the logo, centred in the cleared modules. */
export function logoBoxInPixels(cleared: Box, logo: QrLogo, { module, offset }: ModuleGrid): Box {
  const available = (modules: number) => (modules - 2 * margin) * module;
  const scale = Math.min(
    available(cleared.width) / logo.width,
    available(cleared.height) / logo.height,
  );
  const width = Math.max(1, Math.round(logo.width * scale));
  const height = Math.max(1, Math.round(logo.height * scale));
  const centre = (start: number, modules: number, pixels: number) =>
    offset + Math.round((start + modules / 2) * module - pixels / 2);
  return {
    left: centre(cleared.left, cleared.width, width),
    top: centre(cleared.top, cleared.height, height),
    width,
    height,
  };
}

/** Returns a copy of the matrix in which the modules of a box are light. */
export function clearModules(matrix: QrMatrix, { left, top, width, height }: Box): QrMatrix {
  const dark = matrix.dark.slice();
  for (let y = top; y < top + height; y += 1) {
    dark.fill(0, y * matrix.side + left, y * matrix.side + left + width);
  }
  return { ...matrix, dark };
}

/** Returns a function that checks whether the code stays readable if a box hides all its codewords. */
function correctability(matrix: QrMatrix): (box: Box) => boolean {
  const { side, blockCount, correctablePerBlock } = matrix;
  const codewords = codewordOfModule(matrix);
  const blockOf = blockOfCodeword(matrix);
  const maxWrong = Math.floor(correctablePerBlock * shareForLogo);
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
    return wrong.every((count) => count <= maxWrong);
  };
}

function oddAtLeast(value: number): number {
  // Subtracts a tolerance: a rounding error must not add two modules.
  const whole = Math.max(3, Math.ceil(value - 1e-6));
  return whole % 2 === 1 ? whole : whole + 1;
}
