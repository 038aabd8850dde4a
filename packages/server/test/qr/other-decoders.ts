import {
  getDefaultScanner,
  scanRGBABuffer,
  ZBarConfigType,
  ZBarSymbolType,
} from '@undecaf/zbar-wasm';
import { decodeQR } from 'qr/decode.js';
import sharp from 'sharp';

export interface Reading {
  readonly width: number;
  readonly height: number;
  /** The payload as each decoder reads it; undefined when it finds no code. */
  readonly qr: Buffer | undefined;
  readonly zbar: Buffer | undefined;
  /** The text that zbar shows: it guesses the encoding of a payload without a mark. */
  readonly zbarText: string | undefined;
}

/** Reads an image with two decoders that the server does not use. */
export async function readWithOthers(file: Uint8Array): Promise<Reading> {
  const { data, info } = await sharp(file)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const pixels = new Uint8ClampedArray(data);
  return {
    width,
    height,
    qr: readWithQr(pixels, width, height),
    zbar: (await readWithZbar(pixels, width, height, 1))?.bytes,
    zbarText: (await readWithZbar(pixels, width, height, 0))?.text,
  };
}

function readWithQr(data: Uint8ClampedArray, width: number, height: number): Buffer | undefined {
  try {
    const text = decodeQR(
      { data, width, height },
      // Without a limit of time, results do not depend on other load.
      { timeLimit: Infinity, textDecoder: (bytes) => Buffer.from(bytes).toString('latin1') },
    );
    return Buffer.from(text, 'latin1');
  } catch {
    // It throws for images in which it finds no code.
    return undefined;
  }
}

async function readWithZbar(
  pixels: Uint8ClampedArray<ArrayBuffer>,
  width: number,
  height: number,
  isBinary: 0 | 1,
) {
  const scanner = await getDefaultScanner();
  scanner.setConfig(ZBarSymbolType.ZBAR_QRCODE, ZBarConfigType.ZBAR_CFG_BINARY, isBinary);
  const [symbol] = await scanRGBABuffer(pixels.buffer, width, height, scanner);
  return symbol && { bytes: Buffer.from(symbol.data), text: symbol.decode() };
}
