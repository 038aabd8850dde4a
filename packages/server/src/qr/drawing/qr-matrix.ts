/// <reference path="./qrcode-internals.d.ts" />
import { create, type QRCodeSegment } from 'qrcode';
import tables from 'qrcode/lib/core/error-correction-code.js';
import { QrDesignError, type QrErrorCorrection } from './qr-design.js';

/** The modules of a QR code, and what its error correction can bear. */
export interface QrMatrix {
  readonly version: number;
  /** Modules of a side, without the quiet zone. */
  readonly side: number;
  /** Row by row, 1 where a module is dark. */
  readonly dark: Uint8Array;
  /** 1 where a module belongs to a pattern or a field of the format, not to data. */
  readonly reserved: Uint8Array;
  /** Reed-Solomon blocks, whose codewords are interleaved. */
  readonly blockCount: number;
  readonly correctionPerBlock: number;
  /** Codewords of each block that can be wrong, and are mended. */
  readonly correctablePerBlock: number;
}

/** From the least redundant to the most. */
export const errorCorrectionLevels: readonly QrErrorCorrection[] = ['L', 'M', 'Q', 'H'];

// Bytes that version 40 holds: ISO/IEC 18004:2015, table 7.
const capacity: Record<QrErrorCorrection, number> = { L: 2953, M: 2331, Q: 1663, H: 1273 };

/** The smallest matrix of a payload, or that of a version that is known to hold it. */
export function qrMatrix(payload: string, level: QrErrorCorrection, version?: number): QrMatrix {
  if (payload === '') throw new QrDesignError('data', 'is empty: a QR code needs a text');
  if (!payload.isWellFormed()) {
    throw new QrDesignError('data', 'has half of a surrogate pair, which no scanner can give back');
  }
  const code = encode(payload, level, version);
  if (!code) throw tooLong(payload, level);
  return describe(code);
}

export function holds(payload: string, level: QrErrorCorrection): boolean {
  return encode(payload, level) !== undefined;
}

type Code = ReturnType<typeof create>;

// Shorter runs cost more to announce as digits or capitals than they save, and without one the
// search for the best split is a waste of time: of a long text, a tenth of a second.
const denser = /\d{4}|[0-9A-Z $%*+\-./:]{6}/;

function encode(payload: string, level: QrErrorCorrection, version?: number): Code | undefined {
  try {
    const segments: QRCodeSegment[] | string = denser.test(payload)
      ? payload
      : [{ data: Buffer.from(payload), mode: 'byte' }];
    return create(segments, { errorCorrectionLevel: level, ...(version && { version }) });
  } catch (error) {
    if (error instanceof Error && error.message.includes('too big')) return undefined;
    throw error;
  }
}

function describe({ version, modules, errorCorrectionLevel: level }: Code): QrMatrix {
  const blockCount = tables.getBlocksCount(version, level);
  const correctionPerBlock = tables.getTotalCodewordsCount(version, level) / blockCount;
  return {
    version,
    side: modules.size,
    dark: modules.data,
    reserved: modules.reservedBit,
    blockCount,
    correctionPerBlock,
    // The smallest codes keep up to three codewords back against misreading.
    correctablePerBlock: Math.floor((correctionPerBlock - (version < 4 ? 3 : 0)) / 2),
  };
}

function tooLong(payload: string, level: QrErrorCorrection): QrDesignError {
  const bytes = Buffer.byteLength(payload);
  const serving = errorCorrectionLevels
    .slice(0, errorCorrectionLevels.indexOf(level))
    .findLast((lower) => holds(payload, lower));
  const advice = serving
    ? `errorCorrectionLevel ${serving} holds ${capacity[serving]} and would do`
    : `no level holds it: L, the roomiest, holds ${capacity.L}`;
  return new QrDesignError(
    'data',
    `has ${bytes} bytes, and errorCorrectionLevel ${level} holds ${capacity[level]}: ${advice}`,
  );
}
