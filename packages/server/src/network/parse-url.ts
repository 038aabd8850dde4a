/**
 * Parses a URL by the WHATWG standard; undefined when it is not valid. The `base` resolves relative
 * references.
 *
 * Callers never ask the static method that only validates: on Node 20 and 22 its compiled fast path
 * reads Latin-1 strings as UTF-8 and disagrees with the constructor. A lint rule forbids it.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
