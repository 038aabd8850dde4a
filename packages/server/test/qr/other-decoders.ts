import {
  getDefaultScanner,
  scanRGBABuffer,
  ZBarConfigType,
  ZBarSymbolType,
} from '@undecaf/zbar-wasm';
import jsqr from 'jsqr';
import sharp from 'sharp';

// The package's types describe its ES module, but Node loads the CommonJS module.
const readQr = jsqr as unknown as typeof jsqr.default;

export interface Reading {
  readonly width: number;
  readonly height: number;
  /** The payload as each decoder reads it; undefined when it finds no code. */
  readonly jsqr: Buffer | undefined;
  readonly zbar: Buffer | undefined;
}

export async function readWithOthers(file: Uint8Array): Promise<Reading> {
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const pixels = new Uint8ClampedArray(data);
  const found = readQr(pixels, width, height, { inversionAttempts: 'dontInvert' });
  return {
    width,
    height,
    jsqr: found ? Buffer.from(found.binaryData) : undefined,
    zbar: await readWithZbar(pixels, width, height),
  };
}

async function readWithZbar(
  pixels: Uint8ClampedArray<ArrayBuffer>,
  width: number,
  height: number,
): Promise<Buffer | undefined> {
  const scanner = await getDefaultScanner();
  // Returns the payload's bytes. By default, zbar guesses an encoding.
  scanner.setConfig(ZBarSymbolType.ZBAR_QRCODE, ZBarConfigType.ZBAR_CFG_BINARY, 1);
  const [symbol] = await scanRGBABuffer(pixels.buffer, width, height, scanner);
  return symbol && Buffer.from(symbol.data);
}
