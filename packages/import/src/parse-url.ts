/** Parses a URL by the WHATWG standard; undefined when it is not valid. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i;
// Servers on the own machine or network rarely have a certificate.
const isLocal = /^(localhost|[\d.]+|\[[\da-f:]+\]|[^.]+\.local)$/i;

/** Returns a URL for a host without a scheme, such as `https://example.com/x`; undefined for other texts. */
export function proposeUrl(text: string): string | undefined {
  if (hasScheme.test(text)) return undefined;
  const host = parseUrl(`http://${text}`)?.hostname ?? '';
  if (isLocal.test(host)) return `http://${text}`;
  return /[^.]\.[^.]/.test(host) ? `https://${text}` : undefined;
}
