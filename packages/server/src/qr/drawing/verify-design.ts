import { decodeImage } from './decode-image.js';
import { drawLayout, layOut } from './draw-design.js';
import type { Layout } from './layout.js';
import type { LogoScaler } from './logo-scaler.js';
import { smallestSize } from './module-grid.js';
import { type QrDesign, QrDesignError } from './qr-design.js';

const largestSize = 2048;
// What a few pixels more a module do not make readable, such as a logo that is a code itself, is not
// worth drawing in all sizes: that would take seconds.
const maxLargerSizes = 4;

/** Draws a design and decodes the file; throws a QrDesignError when that does not give the payload. */
export async function verifyDesign(design: QrDesign, scaler: LogoScaler): Promise<Uint8Array> {
  const layout = layOut(design);
  const file = await drawLayout(design, layout, scaler);
  if (await isReadable(file, design.payload)) return file;
  throw await refusal(design, layout, scaler);
}

async function isReadable(file: Uint8Array, payload: string): Promise<boolean> {
  const bytes = await decodeImage(file);
  return bytes !== undefined && Buffer.from(payload).equals(bytes);
}

async function refusal(
  design: QrDesign,
  layout: Layout,
  scaler: LogoScaler,
): Promise<QrDesignError> {
  const smallest = await smallestReadable(design, layout, scaler);
  if (smallest !== undefined) {
    return new QrDesignError(
      'size',
      `${design.size} leaves modules of ${layout.grid.module} pixels, which a decoder could not ` +
        `read: ${smallest} would do`,
      smallest,
    );
  }
  const hasLogo = design.logo !== null;
  if (hasLogo && (await canBeRead({ ...design, logo: null }, scaler))) {
    return new QrDesignError(
      'logoUrl',
      'leads to a logo that keeps a decoder from reading the code: ' +
        'another logo, a higher errorCorrectionLevel or none would do',
    );
  }
  return new QrDesignError(
    'foregroundColor',
    `${design.foregroundColor} on ${design.backgroundColor} could not be read by a decoder: ` +
      '#000000 on #FFFFFF would do',
  );
}

/** Sizes grow by whole modules: between two of them only the quiet zone differs. */
async function smallestReadable(
  design: QrDesign,
  { matrix, grid }: Layout,
  scaler: LogoScaler,
): Promise<number | undefined> {
  for (let more = 1; more <= maxLargerSizes; more += 1) {
    const size = smallestSize(matrix.side, grid.module + more);
    if (size > largestSize) return undefined;
    if (await canBeRead({ ...design, size }, scaler)) return size;
  }
  return undefined;
}

async function canBeRead(design: QrDesign, scaler: LogoScaler): Promise<boolean> {
  return isReadable(await drawLayout(design, layOut(design), scaler), design.payload);
}
