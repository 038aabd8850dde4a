import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';

// As a scanner in a hurry reads: no second tries by turning, inverting or shrinking the image.
const options: ReaderOptions = {
  formats: ['QRCode'],
  tryHarder: false,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: false,
  maxNumberOfSymbols: 1,
};

let prepared: Promise<unknown> | undefined;

/** The decoder's own program comes from its package; left to itself it would fetch it. */
function prepare(): Promise<unknown> {
  prepared ??= (async () => {
    const path = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
    const bytes = await readFile(path);
    const wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  })();
  return prepared;
}

/** The payload's bytes as a scanner reads them off the finished file; undefined when it cannot. */
export async function decodeImage(file: Uint8Array): Promise<Uint8Array | undefined> {
  await prepare();
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength);
  const image = {
    data: pixels,
    width: info.width,
    height: info.height,
    colorSpace: 'srgb',
  } as const;
  const [found] = await readBarcodes(image, options);
  return found?.isValid ? found.bytes : undefined;
}
