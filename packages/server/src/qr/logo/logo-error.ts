/** An image is refused as a logo. The message completes the sentence "The address leads to …". */
export class LogoError extends Error {
  override readonly name = 'LogoError';
}

const longestQuote = 40;

/** Quotes foreign text in a message: escaped, and cut at 40 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);
}
