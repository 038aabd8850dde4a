import { isUtf8 } from 'node:buffer';

export interface TextEncoding {
  /** A label that TextDecoder knows. */
  readonly label: string;
  readonly hasByteOrderMark: boolean;
}

const sampleBytes = 4096;

/**
 * Finds out how a file's bytes spell text, from all of them and in constant memory: by byte order
 * mark, by the zeros of UTF-16, by being valid UTF-8, and else as windows-1252, in which no byte
 * is wrong.
 */
export class EncodingDetector {
  #sample = Buffer.alloc(0);
  #carry = Buffer.alloc(0);
  #isUtf8 = true;

  push(bytes: Buffer): void {
    if (this.#sample.length < sampleBytes) {
      this.#sample = Buffer.concat([
        this.#sample,
        bytes.subarray(0, sampleBytes - this.#sample.length),
      ]);
    }
    if (!this.#isUtf8) return;
    const joined = this.#carry.length === 0 ? bytes : Buffer.concat([this.#carry, bytes]);
    const whole = joined.length - unfinishedTailLength(joined);
    this.#isUtf8 = isUtf8(joined.subarray(0, whole));
    this.#carry = Buffer.from(joined.subarray(whole));
  }

  finish(): TextEncoding {
    const byMark = byteOrderMark(this.#sample);
    if (byMark) return { label: byMark, hasByteOrderMark: true };
    const byZeros = zeroPattern(this.#sample);
    if (byZeros) return { label: byZeros, hasByteOrderMark: false };
    const isWholeUtf8 = this.#isUtf8 && this.#carry.length === 0;
    return { label: isWholeUtf8 ? 'utf-8' : 'windows-1252', hasByteOrderMark: false };
  }
}

function byteOrderMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

// Header and addresses are ASCII, so every other byte of UTF-16 is zero there.
function zeroPattern(bytes: Buffer): string | undefined {
  const pairs = Math.floor(bytes.length / 2);
  if (pairs === 0) return undefined;
  let evenZeros = 0;
  let oddZeros = 0;
  for (let i = 0; i < pairs * 2; i += 2) {
    if (bytes[i] === 0) evenZeros++;
    if (bytes[i + 1] === 0) oddZeros++;
  }
  if (oddZeros > pairs / 2 && evenZeros < pairs / 20) return 'utf-16le';
  if (evenZeros > pairs / 2 && oddZeros < pairs / 20) return 'utf-16be';
  return undefined;
}

/** Bytes at the end that begin a UTF-8 sequence without finishing it: 0 to 3. */
function unfinishedTailLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? back : 0;
  }
  return 0;
}
