import { crc32 } from 'node:zlib';

// A frame is: the version of the format, the length of its text in bytes as 4 hexadecimal digits, the
// CRC-32 of the text as 8, the text, and a line feed. So a journal is a text file with one frame a line.
const version = '2';
const lengthDigits = 4;
const checksumDigits = 8;
const headerBytes = version.length + lengthDigits + checksumDigits;
const maxTextBytes = 16 ** lengthDigits - 1;
const lineFeed = 0x0a;

/** A range of bytes, without its end. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What a part of a segment contains. */
export interface FrameScan {
  /** The texts of the intact frames, in order. */
  readonly texts: string[];
  /** Bytes that belong to no intact frame. */
  readonly damaged: ByteRange[];
  /** Where the bytes begin that may be an incomplete frame. */
  readonly end: number;
}

/** Formats a line of the journal. `text` has no line feed. Throws unless it has 1 to 65,535 bytes. */
export function toFrame(text: string): string {
  const length = Buffer.byteLength(text);
  if (length === 0) throw new RangeError('journal line: it must not be empty');
  if (length > maxTextBytes) throw new RangeError(`journal line: ${length} bytes are too many`);
  return `${version}${hex(length, lengthDigits)}${hex(crc32(text), checksumDigits)}${text}\n`;
}

/**
 * Finds the intact frames. After damage, it searches for the next intact frame byte by byte, so damage
 * of one frame never affects another one, whichever of its bytes are wrong.
 */
export function scanFrames(bytes: Buffer): FrameScan {
  const texts: string[] = [];
  const damaged: ByteRange[] = [];
  let intactUpTo = 0;
  // The first position after the last intact frame where a frame may begin that is incomplete.
  let incomplete: number | undefined;
  for (let at = 0; at < bytes.length; ) {
    const frame = readFrame(bytes, at);
    if (typeof frame === 'object') {
      if (at > intactUpTo) damaged.push({ start: intactUpTo, end: at });
      texts.push(bytes.toString('utf8', frame.start, frame.end));
      incomplete = undefined;
      at = frame.end;
      // A wrong byte in place of the line feed is damage, and the frame before it is intact.
      if (bytes[at] === lineFeed) at += 1;
      intactUpTo = at;
    } else {
      if (frame === 'incomplete') incomplete ??= at;
      at += 1;
    }
  }
  const end = incomplete ?? bytes.length;
  if (end > intactUpTo) damaged.push({ start: intactUpTo, end });
  return { texts, damaged, end };
}

/** Returns the range of the text of a frame that begins at a position. */
function readFrame(bytes: Buffer, at: number): ByteRange | 'incomplete' | 'invalid' {
  if (bytes[at] !== version.charCodeAt(0)) return 'invalid';
  const length = readHex(bytes, at + version.length, lengthDigits);
  const checksum = readHex(bytes, at + version.length + lengthDigits, checksumDigits);
  if (length < 0 || checksum < 0) return 'invalid';
  const start = at + headerBytes;
  const end = start + length;
  // Also without its line feed, because the writer may be about to write that.
  if (end >= bytes.length) return 'incomplete';
  // The checksum of no bytes is 0, so damage in a row of zeros can look like an empty frame.
  if (length === 0) return 'invalid';
  return crc32(bytes.subarray(start, end)) === checksum ? { start, end } : 'invalid';
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** Returns a number; -1 if a byte is no hexadecimal digit. Bytes after the end count as 0. */
function readHex(bytes: Buffer, at: number, digits: number): number {
  let value = 0;
  const end = at + digits;
  for (let index = at; index < end; index += 1) {
    const byte = bytes[index] ?? 0x30;
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (!isDigit && (byte < 0x61 || byte > 0x66)) return -1;
    value = value * 16 + (isDigit ? byte - 0x30 : byte - 0x57);
  }
  return value;
}
