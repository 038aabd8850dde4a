import { checkColours } from './check-colours.js';
import { logoBoxInPixels, matrixWithLogoSpace } from './logo-area.js';
import { moduleGrid } from './module-grid.js';
import type { QrDesign } from './qr-design.js';
import { qrMatrix } from './qr-matrix.js';

/** The modules of a design and the position of every part in pixels. */
export type Layout = ReturnType<typeof layOut>;

/** Computes the position of every part. Throws a QrDesignError when a part does not fit. */
export function layOut(design: QrDesign) {
  checkColours(design.foregroundColor, design.backgroundColor);
  const { payload, errorCorrection, logo } = design;
  if (!logo) {
    const matrix = qrMatrix(payload, errorCorrection);
    return { matrix, grid: moduleGrid(design, matrix.side), logoBox: undefined };
  }
  const { matrix, cleared } = matrixWithLogoSpace(design, logo);
  const grid = moduleGrid(design, matrix.side);
  return { matrix, grid, logoBox: logoBoxInPixels(cleared, logo, grid) };
}
