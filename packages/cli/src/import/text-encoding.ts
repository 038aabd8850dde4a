import { isUtf8 } from 'node:buffer';

export interface TextEncoding {
  /** A label that TextDecoder knows. */
  readonly label: string;
  readonly hasByteOrderMark: boolean;
}

const sampleBytes = 4096;

/**
 * Detects the encoding of a file from all its bytes, in constant memory. Checks the byte order mark,
 * the zero bytes of UTF-16, and whether the bytes are valid UTF-8. The fallback is windows-1252,
 * which accepts every byte.
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
    const whole = joined.length - incompleteTailLength(joined);
    this.#isUtf8 = isUtf8(joined.subarray(0, whole));
    this.#carry = Buffer.from(joined.subarray(whole));
  }

  finish(): TextEncoding {
    const byMark = byteOrderMark(this.#sample);
    if (byMark) return { label: byMark, hasByteOrderMark: true };
    // Further cells may be in any script, the header is not.
    const header = this.#sample.subarray(0, this.#sample.indexOf('\n') + 1);
    const byZeros = utf16ByZeroBytes(this.#sample) ?? utf16ByZeroBytes(header);
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

// Headers and URLs are ASCII, so every other byte is zero in UTF-16.
function utf16ByZeroBytes(bytes: Buffer): string | undefined {
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

/** Returns the length of an incomplete UTF-8 sequence at the end: 0 to 3 bytes. */
function incompleteTailLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? back : 0;
  }
  return 0;
}
