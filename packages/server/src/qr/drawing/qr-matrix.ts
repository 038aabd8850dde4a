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
type Segments = Parameters<typeof create>[0];

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters.
const isAscii = /^[\u0000-\u007f]*$/;

// The Extended Channel Interpretation 26, UTF-8: ISO/IEC 18004:2015, 7.4.2. Without it, zbar and some
// older scanners guess an encoding and show other characters.
const utf8Mark = {
  mode: { id: 'ECI', bit: 7, ccBits: [8, 8, 8] },
  /** The number of the encoding. It stands where other modes have the number of their characters. */
  getLength: () => 26,
  getBitsLength: () => 0,
  write() {},
};

// Runs that take fewer bits in the numeric or the alphanumeric mode, although bytes follow them again.
const denserRun = /(\d{8,}|[0-9A-Z $%*+\-./:]{14,})/;

/** Returns the segments of a text with the mark, which takes 12 bits. */
function withUtf8Mark(payload: string): Segments {
  const segments = payload.split(denserRun).flatMap((text, at): QRCodeSegment[] => {
    if (text === '') return [];
    if (at % 2 === 0) return byteSegment(text);
    return [{ data: text, mode: /\D/.test(text) ? 'alphanumeric' : 'numeric' }];
  });
  // `qrcode` has no mode for the mark. It calls `reduce` to build its segments from an array, in the
  // modes that it has.
  const build = (...rest: Parameters<typeof segments.reduce>) => [
    utf8Mark,
    ...(Array.prototype.reduce.apply(segments, rest) as unknown as object[]),
  ];
  return Object.assign([...segments], { reduce: build });
}

const byteSegment = (payload: string): QRCodeSegment[] => [
  { data: Buffer.from(payload), mode: 'byte' },
];

// Text that the numeric or alphanumeric mode shortens; switching modes for shorter runs costs more
// bits than it saves. Without such a run, the search for segments is skipped: it takes up to 0.1 s.
const denserMode = /\d{4}|[0-9A-Z $%*+\-./:]{6}/;

function encode(payload: string, level: QrErrorCorrection, version?: number): Code | undefined {
  const marked = isAscii.test(payload)
    ? undefined
    : createIfFits(withUtf8Mark(payload), level, version);
  if (marked) return marked;
  const segments = denserMode.test(payload) ? payload : byteSegment(payload);
  return createIfFits(segments, level, version);
}

function createIfFits(segments: Segments, level: QrErrorCorrection, version: number | undefined) {
  try {
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
    ? `use errorCorrectionLevel ${sufficient}`
    : `no level holds it, and L holds the most: ${capacity.L}`;
  return new QrDesignError(
    'data',
    `has ${bytes} bytes, and errorCorrectionLevel ${level} holds ${capacity[level]}: ${advice}`,
  );
}
