import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';
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

// One try, as a phone does: the image is not rotated, inverted or scaled for a second one.
const options: ReaderOptions = {
  formats: ['QRCode'],
  tryHarder: false,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: false,
  maxNumberOfSymbols: 1,
};

let ready: Promise<unknown> | undefined;

/** Loads the decoder from its package. By default, zxing-wasm downloads it. */
async function loadDecoder(): Promise<unknown> {
  const path = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  const bytes = await readFile(path);
  const wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
}

/** Decodes an image file. Returns the payload's bytes, or undefined when no code is readable. */
async function decodeImage(file: Uint8Array): Promise<Uint8Array | undefined> {
  ready ??= loadDecoder();
  await ready;
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength);
  const image = { data: pixels, width, height, colorSpace: 'srgb' } as const;
  const [found] = await readBarcodes(image, options);
  return found?.isValid ? found.bytes : undefined;
}
