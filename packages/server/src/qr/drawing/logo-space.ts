import { clearModules, largestLogoArea } from './logo-area.js';
import {
  errorCorrections,
  type QrDesign,
  QrDesignError,
  type QrErrorCorrection,
  type QrLogo,
} from './qr-design.js';
import { fits, qrMatrix } from './qr-matrix.js';

// A larger version than the payload needs has more spare codewords for the logo.
const maxFurtherVersions = 6;
const largestVersion = 40;

/**
 * Returns the smallest matrix of the requested level that stays readable under the logo, in which the
 * modules under the logo are light, and the box of these modules.
 */
export function matrixWithLogoSpace(design: QrDesign, logo: QrLogo) {
  const { payload, errorCorrection: level } = design;
  const space = findLogoSpace(payload, level, logo);
  if (space) return space;
  const sufficient = errorCorrections
    .slice(errorCorrections.indexOf(level) + 1)
    .find((higher) => fits(payload, higher) && findLogoSpace(payload, higher, logo));
  if (sufficient) {
    throw new QrDesignError(
      'errorCorrectionLevel',
      `${level} cannot correct the modules under a logo of any recognisable size: use errorCorrectionLevel ${sufficient}`,
    );
  }
  throw new QrDesignError(
    'logoUrl',
    `leads to a logo of ${logo.width} by ${logo.height} pixels, which hides more of this code ` +
      'than any errorCorrectionLevel that holds its data can correct: ' +
      'use a squarer logo or a shorter payload',
  );
}

function findLogoSpace(payload: string, level: QrErrorCorrection, logo: QrLogo) {
  let matrix = qrMatrix(payload, level);
  const last = Math.min(largestVersion, matrix.version + maxFurtherVersions);
  for (;;) {
    const cleared = largestLogoArea(matrix, logo);
    if (cleared) return { matrix: clearModules(matrix, cleared), cleared };
    if (matrix.version >= last) return undefined;
    matrix = qrMatrix(payload, level, matrix.version + 1);
  }
}
