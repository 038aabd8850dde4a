/** Parses a URL by the WHATWG standard; undefined when it is not valid. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
