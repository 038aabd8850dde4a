const primaryLanguage = /^\s*([a-z]{2,3})(?=[-,;\s]|$)/i;

/**
 * Parses the primary language of the first range in `Accept-Language`: two or three lower-case letters.
 * Returns null when there is none. Never throws.
 */
export function parseLanguage(header: string | undefined): string | null {
  if (header === undefined) return null;
  return primaryLanguage.exec(header)?.[1]?.toLowerCase() ?? null;
}
