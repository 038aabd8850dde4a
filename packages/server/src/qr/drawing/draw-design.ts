import sharp from 'sharp';
import { checkColours, parseColour } from './check-colours.js';
import type { Layout } from './layout.js';
import { logoPixels } from './logo-place.js';
import { roomForLogo } from './logo-room.js';
import type { LogoScaler } from './logo-scaler.js';
import {
  type ModuleGrid,
  moduleGrid,
  quietZone,
  smallestModule,
  smallestSize,
} from './module-grid.js';
import { type Patch, type Picture, shadeColours, writeRgbRow } from './picture.js';
import { picturePng, squaresPng } from './png-image.js';
import { type QrDesign, QrDesignError } from './qr-design.js';
import { type QrMatrix, qrMatrix } from './qr-matrix.js';
import { drawShades } from './raster.js';
import { styleOf } from './style-presets.js';
import { svgImage } from './svg-image.js';

/** Decides where everything lies, and refuses what cannot lie anywhere. */
export function layOut(design: QrDesign): Layout {
  checkColours(design.foregroundColor, design.backgroundColor);
  const { payload, errorCorrection, logo, size } = design;
  if (!logo) {
    const matrix = qrMatrix(payload, errorCorrection);
    return { matrix, grid: gridFor(size, matrix), logoBox: undefined };
  }
  const { matrix, cleared } = roomForLogo(design, logo);
  const grid = gridFor(size, matrix);
  return { matrix, grid, logoBox: logoPixels(cleared, logo, grid) };
}

function gridFor(size: number, { side }: QrMatrix): ModuleGrid {
  const grid = moduleGrid(size, side);
  if (grid.module >= smallestModule) return grid;
  const smallest = smallestSize(side, smallestModule);
  throw new QrDesignError(
    'size',
    `${size} is less than ${smallestModule} pixels for each of ${side + 2 * quietZone} modules ` +
      `a side, which scanners need: ${smallest} would do`,
    smallest,
  );
}

export async function drawLayout(
  design: QrDesign,
  layout: Layout,
  scaler: LogoScaler,
): Promise<Uint8Array> {
  const { matrix, grid } = layout;
  if (design.format === 'svg') return Buffer.from(svgImage(design, layout));
  if (design.format === 'png' && !design.logo && !styleOf(design.stylePreset, grid)) {
    const colours = [design.backgroundColor, design.foregroundColor] as const;
    return squaresPng(matrix, grid, [parseColour(colours[0]), parseColour(colours[1])]);
  }
  const picture: Picture = {
    size: grid.size,
    shades: drawShades(matrix, grid, design.stylePreset),
    colours: shadeColours(design),
    patch: await logoPatch(design, layout, scaler),
  };
  return design.format === 'png' ? picturePng(picture) : webpImage(picture);
}

async function logoPatch(
  { logo, backgroundColor }: QrDesign,
  { logoBox }: Layout,
  scaler: LogoScaler,
): Promise<Patch | undefined> {
  if (!logo || !logoBox) return undefined;
  return { box: logoBox, rgb: await scaler.scale(logo, logoBox, backgroundColor) };
}

async function webpImage(picture: Picture): Promise<Buffer> {
  const { size } = picture;
  const rgb = Buffer.allocUnsafe(size * size * 3);
  for (let y = 0; y < size; y += 1) writeRgbRow(picture, y, rgb, y * size * 3);
  return sharp(rgb, { raw: { width: size, height: size, channels: 3 } })
    .webp({ lossless: true, effort: 1 })
    .toBuffer();
}
