// Everything below the space, DEL, the C1 controls and Unicode's own line ends.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/**
 * The text on one line and no longer than `maxLength` code units, without half a surrogate pair at
 * its end: what a visitor sent ends up in rows, journals and reports.
 */
export function plainText(text: string, maxLength: number): string {
  return text.replace(controls, ' ').slice(0, maxLength).toWellFormed().trim();
}
