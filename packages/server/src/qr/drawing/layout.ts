import { contrastOf, luminance, parseColour } from '../../contrast.js';
import { type QrDesign, QrDesignError, type QrErrorCorrection, type QrLogo } from './qr-design.js';
import { type QrMatrix, qrMatrix } from './qr-matrix.js';

/** The modules of a design and the position of every part in pixels. */
export type Layout = ReturnType<typeof layOut>;

/** Computes the position of every part. Throws a QrDesignError when a part does not fit. */
export function layOut(design: QrDesign) {
  checkColours(design.foregroundColor, design.backgroundColor);
  const { payload, errorCorrection: level, logo } = design;
  const matrix = qrMatrix(payload, level, logo ? minVersionWithLogo[level] : 1);
  const grid = moduleGrid(design, matrix.side);
  if (!logo) return { matrix, grid, logoBox: undefined };
  const cleared = logoArea(matrix, level, logo);
  return {
    matrix: clearModules(matrix, cleared),
    grid,
    logoBox: logoBoxInPixels(cleared, logo, grid),
  };
}

// Scanners compare brightness. Some phones fail in poor light below a contrast ratio of 3.
// ISO/IEC 15415, 7.8.3 fails a symbol whose brightness differs by less than 20 %.
const minRatio = 3;
const minDifference = 0.2;

/** Throws a QrDesignError when the contrast is too low or the foreground is the lighter colour. */
function checkColours(foregroundColor: string, backgroundColor: string): void {
  const dark = luminance(parseColour(foregroundColor));
  const light = luminance(parseColour(backgroundColor));
  const contrast = contrastOf(dark, light);
  if (light - dark >= minDifference && contrast >= minRatio) return;
  const pair = `${foregroundColor} on ${backgroundColor}: ${contrast.toFixed(2)} to 1`;
  throw new QrDesignError(
    'foregroundColor',
    `must be darker than backgroundColor, with a contrast of ${minRatio} to 1 and 20 % of brightness (${pair})`,
  );
}

/** The smallest module. zbar cannot read modules of one pixel unless they are black on white. */
const minModulePixels = 2;

/**
 * The position of modules in an image, in pixels: the size of the image, the size of a module, and the
 * offset of the first module from the top and from the left. A module is a square of whole pixels.
 */
export type ModuleGrid = Readonly<ReturnType<typeof moduleGrid>>;

/**
 * Returns the grid with the largest modules that leave the margin. Remaining pixels widen the
 * margin: modules of unequal widths would fill the image, but decoders read them worse. Throws a
 * QrDesignError when the modules would be too small.
 */
export function moduleGrid({ size, margin }: Pick<QrDesign, 'size' | 'margin'>, side: number) {
  const modules = side + 2 * margin;
  const module = Math.floor(size / modules);
  if (module >= minModulePixels) return { size, module, offset: (size - side * module) >> 1 };
  throw new QrDesignError(
    'size',
    `${size} is too small for ${modules} modules a side: scanners need ` +
      `${minModulePixels} pixels for each module: use size ${modules * minModulePixels}`,
  );
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

// Light modules between the logo and the code.
const margin = 1;
// In smaller versions, a logo of five modules would hide more than two thirds of what a level corrects. Dirt,
// glare and folds need the rest.
const minVersionWithLogo: Record<QrErrorCorrection, number> = { L: 6, M: 4, Q: 3, H: 3 };
// Decoders fail on larger logos even if all codewords could be corrected. For black logos, zbar fails
// at a third of the side, or at a fourth if the logo covers an alignment pattern. L corrects no more.
const shareOfSide = 0.25;
const shareOfSideOverPattern = 0.2;

/** Returns the box of modules that is cleared for a logo of this shape, at the centre. */
function logoArea({ side, reserved }: QrMatrix, level: QrErrorCorrection, logo: QrLogo): Box {
  const coversPattern = reserved[(side * side - 1) / 2] === 1;
  const share = coversPattern || level === 'L' ? shareOfSideOverPattern : shareOfSide;
  // The code's side is odd, so only a box with odd sides is centred.
  const long = oddAtMost(side * share);
  const flatness = Math.min(logo.width / logo.height, logo.height / logo.width);
  // Rounded up, so that the longer side decides the size of the logo.
  const short = oddAtMost((long - 2 * margin) * flatness + 2 * margin + 1.99);
  const [width, height] = logo.width >= logo.height ? [long, short] : [short, long];
  return { left: (side - width) / 2, top: (side - height) / 2, width, height };
}

/** Returns the largest box in pixels for the logo, centred in the cleared modules. */
function logoBoxInPixels(cleared: Box, logo: QrLogo, { module, offset }: ModuleGrid): Box {
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
function clearModules(matrix: QrMatrix, { left, top, width, height }: Box): QrMatrix {
  const dark = matrix.dark.slice();
  for (let y = top; y < top + height; y += 1) {
    dark.fill(0, y * matrix.side + left, y * matrix.side + left + width);
  }
  return { ...matrix, dark };
}

function oddAtMost(value: number): number {
  const whole = Math.max(3, Math.floor(value));
  return whole % 2 === 1 ? whole : whole - 1;
}
