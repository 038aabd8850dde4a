import { type Box, clearedForLogo, clearModules } from './logo-place.js';
import { type QrDesign, QrDesignError, type QrErrorCorrection, type QrLogo } from './qr-design.js';
import { errorCorrectionLevels, holds, type QrMatrix, qrMatrix } from './qr-matrix.js';

// A code that is larger than its payload needs has more to spare, and finer steps to spare it in.
const furtherVersions = 6;
const largestVersion = 40;

interface Room {
  /** With the modules under the logo cleared. */
  readonly matrix: QrMatrix;
  readonly cleared: Box;
}

/** The smallest code of the level asked for that can do without the modules under its logo. */
export function roomForLogo(design: QrDesign, logo: QrLogo): Room {
  const { payload, errorCorrection: level } = design;
  const room = findRoom(payload, level, logo);
  if (room) return room;
  const serving = errorCorrectionLevels
    .slice(errorCorrectionLevels.indexOf(level) + 1)
    .find((higher) => holds(payload, higher) && findRoom(payload, higher, logo));
  if (serving) {
    throw new QrDesignError(
      'errorCorrectionLevel',
      `${level} cannot make up for the modules under a logo of any readable size: ${serving} would do`,
    );
  }
  throw new QrDesignError(
    'logoUrl',
    `leads to a logo of ${logo.width} by ${logo.height} pixels, which hides more of this code ` +
      'than any level that holds its data could correct: ' +
      'a squarer logo, or a shorter payload, would do',
  );
}

function findRoom(payload: string, level: QrErrorCorrection, logo: QrLogo): Room | undefined {
  let matrix = qrMatrix(payload, level);
  const last = Math.min(largestVersion, matrix.version + furtherVersions);
  for (;;) {
    const cleared = clearedForLogo(matrix, logo);
    if (cleared) return { matrix: clearModules(matrix, cleared), cleared };
    if (matrix.version >= last) return undefined;
    matrix = qrMatrix(payload, level, matrix.version + 1);
  }
}
