/// <reference path="./qrcode-internals.d.ts" />
import { create, type QRCodeSegment } from 'qrcode';
import tables from 'qrcode/lib/core/error-correction-code.js';
import { errorCorrections, QrDesignError, type QrErrorCorrection } from './qr-design.js';

/** The modules of a QR code and the parameters of its error correction. */
export type QrMatrix = Readonly<ReturnType<typeof describe>>;

// Capacity of version 40 in bytes: ISO/IEC 18004:2015, table 7.
const capacity: Record<QrErrorCorrection, number> = { L: 2953, M: 2331, Q: 1663, H: 1273 };

/** Returns the matrix of a payload, of the smallest version that holds it or of a given one. */
export function qrMatrix(payload: string, level: QrErrorCorrection, version?: number): QrMatrix {
  const code = encode(payload, level, version);
  if (!code) throw tooLong(payload, level);
  return describe(code);
}

/** Returns whether a payload fits the largest version of a level. */
export function fits(payload: string, level: QrErrorCorrection): boolean {
  return encode(payload, level) !== undefined;
}

type Code = ReturnType<typeof create>;

// Text that the numeric or alphanumeric mode shortens; switching modes for shorter runs costs more
// bits than it saves. Without such a run, the search for segments is skipped: it takes up to 0.1 s.
const denserMode = /\d{4}|[0-9A-Z $%*+\-./:]{6}/;

function encode(payload: string, level: QrErrorCorrection, version?: number): Code | undefined {
  try {
    const segments: QRCodeSegment[] | string = denserMode.test(payload)
      ? payload
      : [{ data: Buffer.from(payload), mode: 'byte' }];
    return create(segments, { errorCorrectionLevel: level, ...(version && { version }) });
  } catch (error) {
    if (error instanceof Error && error.message.includes('too big')) return undefined;
    throw error;
  }
}

function describe({ version, modules, errorCorrectionLevel: level }: Code) {
  const blockCount = tables.getBlocksCount(version, level);
  const correctionPerBlock = tables.getTotalCodewordsCount(version, level) / blockCount;
  return {
    version,
    /** Modules a side, without the quiet zone. */
    side: modules.size,
    /** Row by row, 1 where a module is dark. */
    dark: modules.data,
    /** 1 for modules of function patterns and format information, 0 for data. */
    reserved: modules.reservedBit,
    /** Whole codewords; the remaining bits carry no data. */
    codewordCount: modules.reservedBit.filter((isReserved) => !isReserved).length >> 3,
    /** The number of Reed-Solomon blocks, whose codewords are interleaved. */
    blockCount,
    correctionPerBlock,
    /** Wrong codewords that each block can correct. */
    // Versions below 4 reserve up to three codewords for the detection of misreads.
    correctablePerBlock: Math.floor((correctionPerBlock - (version < 4 ? 3 : 0)) / 2),
  };
}

function tooLong(payload: string, level: QrErrorCorrection): QrDesignError {
  const bytes = Buffer.byteLength(payload);
  const sufficient = errorCorrections
    .slice(0, errorCorrections.indexOf(level))
    .findLast((lower) => fits(payload, lower));
  const advice = sufficient
    ? `use ${sufficient}, which holds ${capacity[sufficient]}`
    : `no level holds it, and L holds the most: ${capacity.L}`;
  return new QrDesignError(
    'data',
    `has ${bytes} bytes, and errorCorrectionLevel ${level} holds ${capacity[level]}: ${advice}`,
  );
}
