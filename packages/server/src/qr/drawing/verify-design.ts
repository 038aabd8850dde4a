import { decodeImage } from './decode-image.js';
import { drawDesign } from './draw-design.js';
import { type Layout, layOut } from './layout.js';
import { smallestSize } from './module-grid.js';
import { type QrDesign, QrDesignError } from './qr-design.js';

const maxSize = 2048;
// Some designs, such as a logo that is a QR code, fail at every size. Trying all sizes takes seconds.
const maxLargerSizes = 4;

/**
 * Draws a design and checks that the image decodes to its payload, byte for byte. Throws a
 * QrDesignError when it does not.
 */
export async function drawVerified(design: QrDesign): Promise<Uint8Array> {
  const layout = layOut(design);
  const file = await drawDesign(design, layout);
  if (await decodesTo(file, design.payload)) return file;
  throw await explainFailure(design, layout);
}

async function decodesTo(file: Uint8Array, payload: string): Promise<boolean> {
  const bytes = await decodeImage(file);
  return bytes !== undefined && Buffer.from(payload).equals(bytes);
}

/** Finds the field that makes the image unreadable, and a value that works. */
async function explainFailure(design: QrDesign, layout: Layout): Promise<QrDesignError> {
  const smallest = await smallestReadable(design, layout);
  if (smallest !== undefined) {
    return new QrDesignError(
      'size',
      `${design.size} gives modules of ${layout.grid.module} pixels, which the decoder cannot read: ` +
        `use ${smallest}`,
    );
  }
  const hasLogo = design.logo !== null;
  if (hasLogo && (await isReadable({ ...design, logo: null }))) {
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
): Promise<number | undefined> {
  for (let added = 1; added <= maxLargerSizes; added += 1) {
    const size = smallestSize(matrix.side, grid.module + added);
    if (size > maxSize) return undefined;
    if (await isReadable({ ...design, size })) return size;
  }
  return undefined;
}

async function isReadable(design: QrDesign): Promise<boolean> {
  return decodesTo(await drawDesign(design), design.payload);
}
