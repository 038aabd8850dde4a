/** Returns the first `maxLength` code units of a text, or one less where that would cut a character. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cutsPair = (text.codePointAt(maxLength - 1) ?? 0) > 0xffff;
  return text.slice(0, cutsPair ? maxLength - 1 : maxLength);
}
