const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const shortCodeLength = 7;

/**
 * Returns a generator of short codes: 7 random letters and digits, never a reserved word.
 * `randomBelow` returns a cryptographically random integer from 0 to below its argument.
 */
export function shortCodeGenerator(
  randomBelow: (end: number) => number,
  isReserved: (word: string) => boolean,
): () => string {
  return () => {
    for (;;) {
      let code = '';
      while (code.length < shortCodeLength) code += alphabet[randomBelow(alphabet.length)];
      if (!isReserved(code)) return code;
    }
  };
}
