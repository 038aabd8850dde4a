import { truncateText } from '../../contract/api-error.js';

// C0 controls, DEL, C1 controls and Unicode's line separators.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes them.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/**
 * Makes a visitor's text safe for storage, journals and reports: one line in normal form C, at most `maxLength` code
 * units, and no half surrogate pair.
 */
export function plainText(text: string, maxLength: number): string {
  return truncateText(text.normalize().replace(controls, ' '), maxLength).toWellFormed().trim();
}
