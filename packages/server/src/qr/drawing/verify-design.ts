import { decodeImage } from './decode-image.js';
import { drawLayout, layOut } from './draw-design.js';
import type { Layout } from './layout.js';
import type { LogoScaler } from './logo-scaler.js';
import { smallestSize } from './module-grid.js';
import { type QrDesign, QrDesignError } from './qr-design.js';

const maxSize = 2048;
// Some designs, such as a logo that is a QR code, fail at every size. Trying all sizes takes seconds.
const maxLargerSizes = 4;

/** Draws a design. Throws a QrDesignError when the image does not decode to the payload. */
export async function verifyDesign(design: QrDesign, scaler: LogoScaler): Promise<Uint8Array> {
  const layout = layOut(design);
  const file = await drawLayout(design, layout, scaler);
  if (await decodesTo(file, design.payload)) return file;
  throw await explainFailure(design, layout, scaler);
}

async function decodesTo(file: Uint8Array, payload: string): Promise<boolean> {
  const bytes = await decodeImage(file);
  return bytes !== undefined && Buffer.from(payload).equals(bytes);
}

/** Finds the field that makes the image unreadable, and a value that works. */
async function explainFailure(
  design: QrDesign,
  layout: Layout,
  scaler: LogoScaler,
): Promise<QrDesignError> {
  const smallest = await smallestReadable(design, layout, scaler);
  if (smallest !== undefined) {
    return new QrDesignError(
      'size',
      `${design.size} gives modules of ${layout.grid.module} pixels, which the decoder cannot read: ` +
        `use ${smallest}`,
      smallest,
    );
  }
  const hasLogo = design.logo !== null;
  if (hasLogo && (await isDesignReadable({ ...design, logo: null }, scaler))) {
    return new QrDesignError(
      'logoUrl',
      'leads to a logo with which the decoder cannot read the code: ' +
        'use another logo, a higher errorCorrectionLevel, or no logo',
    );
  }
  return new QrDesignError(
    'foregroundColor',
    `${design.foregroundColor} on ${design.backgroundColor} is not readable for the decoder: ` +
      'use #000000 on #FFFFFF',
  );
}

/** Tries sizes with larger modules. Sizes between two of them differ only in the quiet zone. */
async function smallestReadable(
  design: QrDesign,
  { matrix, grid }: Layout,
  scaler: LogoScaler,
): Promise<number | undefined> {
  for (let added = 1; added <= maxLargerSizes; added += 1) {
    const size = smallestSize(matrix.side, grid.module + added);
    if (size > maxSize) return undefined;
    if (await isDesignReadable({ ...design, size }, scaler)) return size;
  }
  return undefined;
}

async function isDesignReadable(design: QrDesign, scaler: LogoScaler): Promise<boolean> {
  return decodesTo(await drawLayout(design, layOut(design), scaler), design.payload);
}
