import { correction, generate, type Mode, mode } from 'lean-qr';
import { QrDesignError, type QrErrorCorrection } from './qr-design.js';

export interface QrMatrix {
  readonly version: number;
  /** Modules a side, without the quiet zone. */
  readonly side: number;
  /** Row by row, 1 where a module is dark. */
  readonly dark: Uint8Array;
  /** 1 for modules of function patterns and format information, 0 for data. */
  readonly reserved: Uint8Array;
}

// Capacity of version 40 in bytes: ISO/IEC 18004:2015, table 7.
const capacity: Record<QrErrorCorrection, number> = { L: 2953, M: 2331, Q: 1663, H: 1273 };

/** Returns the smallest matrix of a payload and a level, of a given version or a larger one. */
export function qrMatrix(payload: string, level: QrErrorCorrection, minVersion = 1): QrMatrix {
  const code =
    generateIfFits(mode.auto(payload, { modes }), level, minVersion) ??
    // The mark takes 12 bits.
    generateIfFits(mode.bytes(Buffer.from(payload)), level, minVersion);
  if (!code) {
    const length = `has ${Buffer.byteLength(payload)} bytes`;
    const message = `${length}, and errorCorrectionLevel ${level} holds ${capacity[level]} (L holds the most: ${capacity.L})`;
    throw new QrDesignError('data', message);
  }
  const side = code.size;
  const version = (side - 17) / 4;
  const dark = new Uint8Array(side * side);
  for (let at = 0; at < dark.length; at += 1) {
    dark[at] = Number(code.get(at % side, Math.floor(at / side)));
  }
  return { version, side, dark, reserved: reservedModules(version, side) };
}

// Text beyond ASCII is marked as UTF-8, by the Extended Channel Interpretation 26: ISO/IEC 18004:2015,
// 7.4.2. Without it, zbar and some older scanners guess an encoding and show other characters.
const modes = [mode.numeric, mode.alphaNumeric, mode.ascii, mode.utf8];

function generateIfFits(content: Mode, level: QrErrorCorrection, minVersion: number) {
  const only = correction[level];
  try {
    return generate(content, { minCorrectionLevel: only, maxCorrectionLevel: only, minVersion });
  } catch (error) {
    if ((error as { code?: unknown }).code === tooMuchData) return undefined;
    throw error;
  }
}

// The code of lean-qr's error.
const tooMuchData = 4;

/** Returns the modules that have no data: ISO/IEC 18004:2015, 6.3. */
function reservedModules(version: number, side: number): Uint8Array {
  const reserved = new Uint8Array(side * side);
  const reserve = (left: number, top: number, width: number, height: number) => {
    for (let y = top; y < top + height; y += 1) {
      reserved.fill(1, y * side + left, y * side + left + width);
    }
  };
  reserve(0, 0, 9, 9);
  reserve(side - 8, 0, 8, 9);
  reserve(0, side - 8, 9, 8);
  reserve(6, 0, 1, side);
  reserve(0, 6, side, 1);
  if (version >= 7) {
    reserve(side - 11, 0, 3, 6);
    reserve(0, side - 11, 6, 3);
  }
  const centres = alignmentCentres(version, side);
  for (const x of centres) {
    for (const y of centres) {
      const isInFinder = (x === 6 && (y === 6 || y === side - 7)) || (x === side - 7 && y === 6);
      if (!isInFinder) reserve(x - 2, y - 2, 5, 5);
    }
  }
  return reserved;
}

/** Returns the rows, and columns, of the centres of alignment patterns: ISO/IEC 18004:2015, annex E. */
function alignmentCentres(version: number, side: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : 2 * Math.ceil((version * 4 + 4) / (count * 2 - 2));
  const others = Array.from({ length: count - 1 }, (_, at) => side - 7 - at * step);
  return [6, ...others];
}
