/** Returns the lines of a text without those that are empty, and without spaces at their ends. */
export const linesOf = (text: string): readonly string[] => text.match(/\S(.*\S)?/g) ?? [];

/** Returns the parts of a text with commas. A comma in a part is written as in addresses: %2C. */
export const partsOf = (text: string): readonly string[] =>
  linesOf(text.replaceAll(',', '\n')).map((part) => part.replaceAll('%2C', ','));

export const joinParts = (parts: readonly string[]): string =>
  parts.map((part) => part.replaceAll(',', '%2C')).join(', ');

/** Returns what people read of an address. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

/** Returns what went wrong, for people. */
export const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
