import type { RandomBytes } from '../ports.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const shortCodeLength = 7;

// The largest multiple of 62 that a byte can hold; bytes above it would favour some letters.
const fairBytes = 256 - (256 % alphabet.length);

// One draw from the system's generator serves many codes.
const poolSize = 4096;

/** Makes short codes: 7 letters and digits that nobody can guess, never a reserved word. */
export function shortCodeMaker(
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
      if (byte < fairBytes) code += alphabet[byte % alphabet.length];
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
