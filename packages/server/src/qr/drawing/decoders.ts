import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import jsqr from 'jsqr';
import sharp from 'sharp';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';

/** An image with four bytes a pixel. */
interface Pixels {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** The payload's bytes, or undefined when a decoder finds no code. */
type Decoded = Uint8Array | undefined;

/** What a decoder sees: a PNG file, or pixels. */
export type DecoderInput = Uint8Array | Pixels;

// One try, as a phone does: the image is not rotated, inverted or scaled for a second one.
const oneTry: ReaderOptions = {
  formats: ['QRCode'],
  tryHarder: false,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: false,
  maxNumberOfSymbols: 1,
};

// The search for finder patterns in the whole image, and in smaller copies: large modules with
// curves are only found in those.
const everyTry: ReaderOptions = { ...oneTry, tryHarder: true, tryDownscale: true };

export const readQuickly = (image: DecoderInput): Promise<Decoded> => readWithZxing(image, oneTry);

export const readThoroughly = (image: DecoderInput): Promise<Decoded> =>
  readWithZxing(image, everyTry);

async function readWithZxing(image: DecoderInput, options: ReaderOptions): Promise<Decoded> {
  ready ??= loadZxing();
  await ready;
  const input = image instanceof Uint8Array ? image : { ...image, colorSpace: 'srgb' as const };
  const [found] = await readBarcodes(input, options);
  return found?.isValid ? found.bytes : undefined;
}

let ready: Promise<unknown> | undefined;

/** Loads the decoder from its package. By default, zxing-wasm downloads it. */
async function loadZxing(): Promise<unknown> {
  const path = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  const bytes = await readFile(path);
  const wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
}

// The package's types describe its ES module, but Node loads the CommonJS module.
const readQr = jsqr as unknown as typeof jsqr.default;

export function readWithJsqr({ data, width, height }: Pixels): Decoded {
  const found = readQr(data, width, height, { inversionAttempts: 'dontInvert' });
  return found ? Uint8Array.from(found.binaryData) : undefined;
}

/** Decodes an image file on a background. */
export async function pixelsOf(file: Uint8Array, background: string): Promise<Pixels> {
  const { data, info } = await sharp(file)
    .flatten({ background })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixels = new Uint8ClampedArray(
    data.buffer as ArrayBuffer,
    data.byteOffset,
    data.byteLength,
  );
  return { data: pixels, width: info.width, height: info.height };
}
