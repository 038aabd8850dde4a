import sharp from 'sharp';
import { checkColours } from './check-colours.js';
import { logoBoxInPixels } from './logo-area.js';
import { matrixWithLogoSpace } from './logo-space.js';
import {
  type Layout,
  type ModuleGrid,
  minModulePixels,
  moduleGrid,
  quietZone,
  smallestSize,
} from './module-grid.js';
import { palettePng } from './png.js';
import { type QrDesign, QrDesignError } from './qr-design.js';
import { type QrMatrix, qrMatrix } from './qr-matrix.js';
import { rasterize } from './rasterize.js';
import { svgImage } from './svg-image.js';

/** Computes the position of every part. Throws a QrDesignError when a part does not fit. */
export function layOut(design: QrDesign): Layout {
  checkColours(design.foregroundColor, design.backgroundColor);
  const { payload, errorCorrection, logo, size } = design;
  if (!logo) {
    const matrix = qrMatrix(payload, errorCorrection);
    return { matrix, grid: gridFor(size, matrix), logoBox: undefined };
  }
  const { matrix, cleared } = matrixWithLogoSpace(design, logo);
  const grid = gridFor(size, matrix);
  return { matrix, grid, logoBox: logoBoxInPixels(cleared, logo, grid) };
}

function gridFor(size: number, { side }: QrMatrix): ModuleGrid {
  const grid = moduleGrid(size, side);
  if (grid.module >= minModulePixels) return grid;
  const smallest = smallestSize(side, minModulePixels);
  throw new QrDesignError(
    'size',
    `${size} is too small for ${side + 2 * quietZone} modules a side: scanners need ` +
      `${minModulePixels} pixels for each module. Use ${smallest} or more`,
  );
}

/** Draws a design and encodes it in its format. Decision 51 compares the ways to draw. */
export async function drawLayout(design: QrDesign, layout: Layout): Promise<Uint8Array> {
  const { format, logo } = design;
  if (format === 'png' && !logo) return palettePng(rasterize(design, layout));
  const svg = Buffer.from(svgImage(design, layout));
  if (format === 'svg') return svg;
  const image = sharp(svg).removeAlpha();
  return format === 'png'
    ? image.png({ compressionLevel: 6 }).toBuffer()
    : image.webp({ lossless: true, effort: 1 }).toBuffer();
}
