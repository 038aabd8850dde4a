import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import { printable } from './format.js';

/** Returns the width of a text on a terminal, in columns. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** Truncates untrusted text to at most `width` columns, with an ellipsis. */
export function cutText(text: string, width: number): string {
  if (width < 1) return '';
  const cut = cliTruncate(printable(text), width);
  // The ellipsis can stand behind a wide character that ends at the last column.
  return displayWidth(cut) > width ? cliTruncate(printable(text), width - 1) : cut;
}

/** Truncates untrusted text with an ellipsis, or pads it, to exactly `width` columns. */
export function fitText(text: string, width: number): string {
  const cut = cutText(text, width);
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}
