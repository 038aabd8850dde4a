import stringWidth from 'string-width';
import { printable } from './format.js';

/** Returns the width of a text on a terminal, in columns. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

const characters = new Intl.Segmenter();

/** Truncates untrusted text to at most `width` columns, with an ellipsis. */
export function cutText(text: string, width: number): string {
  if (width < 1) return '';
  const line = printable(text);
  if (displayWidth(line) <= width) return line;
  let cut = '';
  let left = width - 1;
  for (const { segment } of characters.segment(line)) {
    left -= displayWidth(segment);
    if (left < 0) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Truncates untrusted text with an ellipsis, or pads it, to exactly `width` columns. */
export function fitText(text: string, width: number): string {
  const cut = cutText(text, width);
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}
