import { truncateText } from '../../contract/truncate-text.js';

/** An image is refused as a logo. The message completes the phrase "logoUrl leads to …". */
export class LogoError extends Error {
  override readonly name = 'LogoError';
}

const maxQuoteLength = 40;

/** Quotes untrusted text for a message: escaped, and truncated to 40 characters. */
export function quote(text: string): string {
  return JSON.stringify(
    text.length > maxQuoteLength ? `${truncateText(text, maxQuoteLength)}…` : text,
  );
}
