import type { RandomBytes } from '../ports.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const shortCodeLength = 7;

// Larger bytes are discarded, because their remainders would favour the first letters.
const byteLimit = 256 - (256 % alphabet.length);

// Random bytes are read in blocks, because each read is a system call.
const poolSize = 4096;

/** Returns a generator of short codes: 7 random letters and digits, never a reserved word. */
export function shortCodeGenerator(
  randomBytes: RandomBytes,
  isReserved: (word: string) => boolean,
): () => string {
  let pool: Uint8Array = new Uint8Array(0);
  let used = 0;

  function nextByte(): number {
    if (used === pool.length) {
      pool = randomBytes(poolSize);
      used = 0;
    }
    return pool[used++] as number;
  }

  function draw(): string {
    let code = '';
    while (code.length < shortCodeLength) {
      const byte = nextByte();
      if (byte < byteLimit) code += alphabet[byte % alphabet.length];
    }
    return code;
  }

  return () => {
    for (;;) {
      const code = draw();
      if (!isReserved(code)) return code;
    }
  };
}
