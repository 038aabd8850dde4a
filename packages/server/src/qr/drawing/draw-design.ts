import sharp from 'sharp';
import { checkColours } from './check-colours.js';
import type { Layout } from './layout.js';
import { type Box, logoBoxInPixels } from './logo-area.js';
import type { LogoScaler } from './logo-scaler.js';
import { matrixWithLogoSpace } from './logo-space.js';
import {
  type ModuleGrid,
  minModulePixels,
  moduleGrid,
  quietZone,
  smallestSize,
} from './module-grid.js';
import { palettePng } from './png.js';
import { type QrDesign, QrDesignError } from './qr-design.js';
import { type QrMatrix, qrMatrix } from './qr-matrix.js';
import { rasterize, rgbPixels } from './rasterize.js';
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
    smallest,
  );
}

/** Draws a design and encodes it in its format. */
export async function drawLayout(
  design: QrDesign,
  layout: Layout,
  scaler: LogoScaler,
): Promise<Uint8Array> {
  const { format, logo, backgroundColor } = design;
  if (format === 'svg') return Buffer.from(svgImage(design, layout));
  const raster = rasterize(design, layout);
  if (format === 'png' && !logo) return palettePng(raster);
  const { logoBox } = layout;
  const { size } = raster;
  const rgb = rgbPixels(raster);
  if (logo && logoBox) {
    copyInto(rgb, size, await scaler.scale(logo, logoBox, backgroundColor), logoBox);
  }
  const image = sharp(rgb, { raw: { width: size, height: size, channels: 3 } });
  return format === 'png'
    ? image.png({ compressionLevel: 6 }).toBuffer()
    : image.webp({ lossless: true, effort: 1 }).toBuffer();
}

/** Copies a smaller image into a larger one; both have three bytes a pixel. */
function copyInto(target: Buffer, targetWidth: number, source: Uint8Array, box: Box): void {
  const rowBytes = box.width * 3;
  for (let row = 0; row < box.height; row += 1) {
    const start = ((box.top + row) * targetWidth + box.left) * 3;
    target.set(source.subarray(row * rowBytes, (row + 1) * rowBytes), start);
  }
}
