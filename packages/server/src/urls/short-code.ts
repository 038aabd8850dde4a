export const codeAlphabets = {
  full: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  // Without 0, 1, i, l and o. Capitals would differ from many small letters only in size.
  readable: '23456789abcdefghjkmnpqrstuvwxyz',
} as const;

export interface ShortCodeOptions {
  readonly codeLength: number;
  readonly codeAlphabet: keyof typeof codeAlphabets;
  readonly isReserved: (word: string) => boolean;
}

/**
 * Returns a generator of random short codes, which are never a reserved word. A code can be longer by some
 * characters. `randomBelow` returns a cryptographically random integer from 0 to below its argument.
 */
export function shortCodeGenerator(
  randomBelow: (end: number) => number,
  { codeLength, codeAlphabet, isReserved }: ShortCodeOptions,
): (extraLength?: number) => string {
  const alphabet = codeAlphabets[codeAlphabet];
  return (extraLength = 0) => {
    for (;;) {
      let code = '';
      while (code.length < codeLength + extraLength) code += alphabet[randomBelow(alphabet.length)];
      if (!isReserved(code)) return code;
    }
  };
}
