import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';

interface Pixels {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** The payload's bytes, or undefined when the decoder finds no code. */
type Decoded = Uint8Array | undefined;

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

/** Reads a code with zxing-cpp: at the first try, or with all that it has. */
export async function readCode(image: DecoderInput): Promise<Decoded> {
  return (await read(image, oneTry)) ?? read(image, everyTry);
}

async function read(image: DecoderInput, options: ReaderOptions): Promise<Decoded> {
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
