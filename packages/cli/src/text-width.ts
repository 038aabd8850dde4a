import { stripVTControlCharacters } from 'node:util';
import { printable } from './format.js';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ascii = /^[\x20-\x7e]*$/;
// Blocks that UAX #11 defines as wide, and emoji.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Returns the width of a text on a terminal, in columns. */
export function displayWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Truncates untrusted text with an ellipsis, or pads it, to exactly `width` columns. */
export function fitText(text: string, width: number): string {
  const cut = cutText(text, width);
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}

/** Truncates untrusted text to at most `width` columns, with an ellipsis. */
export function cutText(text: string, width: number): string {
  const safe = printable(text);
  if (displayWidth(safe) <= width) return safe;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(safe)) {
    used += graphemeWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? '' : `${kept}…`;
}

/**
 * Breaks each line of a text at spaces, so that it has at most `width` columns. Continued lines have
 * the indentation of their line. A word that is longer, such as a URL, stays whole, because users
 * copy it: the terminal breaks it. Words of wide characters have no spaces, and break anywhere.
 */
export function wrapText(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  return text
    .split('\n')
    .map((line) => {
      const indentation = /^ */.exec(line)?.[0] ?? '';
      const available = Math.max(1, width - indentation.length);
      const lines = wrapPieces(splitWords(line.slice(indentation.length)), available);
      return lines.map((each) => indentation + each).join('\n');
    })
    .join('\n');
}

/** Joins the lines of each paragraph that is not indented, so that it can be broken elsewhere. */
export function fillParagraphs(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const last = lines.at(-1);
    const continues = isFlush(line) && last !== undefined && isFlush(last);
    if (continues) lines[lines.length - 1] = `${last} ${line}`;
    else lines.push(line);
  }
  return lines.join('\n');
}

function isFlush(line: string): boolean {
  return line !== '' && !line.startsWith(' ');
}

/**
 * Returns the words of a line, each with the spaces after it. A command at its end is one word, which
 * users copy: `to undo: shorty urls bulk-update links.csv`. A backslash at its end belongs to the word
 * before it.
 */
export function splitWords(line: string): string[] {
  return line.match(/(?<=: )shorty .*$| *[^ ]+(?: \\$)? */g) ?? [];
}

/** Joins pieces of a text to lines of at most `width` columns, without spaces at their ends. */
export function wrapPieces(pieces: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const breakLine = () => {
    lines.push(line.trimEnd());
    line = '';
    used = 0;
  };
  for (const piece of pieces) {
    if (used > 0 && used + shownWidth(piece.trimEnd()) > width) breakLine();
    for (const part of splitWide(piece, width)) {
      if (used > 0 && used + shownWidth(part.trimEnd()) > width) breakLine();
      line += part;
      used += shownWidth(part);
    }
  }
  breakLine();
  return lines;
}

/** Returns the display width of a text that may contain colors. */
export function shownWidth(text: string): number {
  return displayWidth(text.includes('\u001b') ? stripVTControlCharacters(text) : text);
}

/** Splits a word that has wide characters, and does not fit, into its graphemes. */
function splitWide(piece: string, width: number): string[] {
  if (ascii.test(piece) || shownWidth(piece.trimEnd()) <= width || !wide.test(piece))
    return [piece];
  return Array.from(graphemes.segment(piece), ({ segment }) => segment);
}

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}
