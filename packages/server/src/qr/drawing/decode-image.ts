import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';

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
export async function decodeImage(file: Uint8Array): Promise<Uint8Array | undefined> {
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
