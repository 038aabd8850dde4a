/** Splits a serialised URL. The query has no question mark; the fragment has its number sign. */
export function splitUrl(href: string) {
  const hash = href.indexOf('#');
  const fragment = hash < 0 ? '' : href.slice(hash);
  const address = hash < 0 ? href : href.slice(0, hash);
  const mark = address.indexOf('?');
  if (mark < 0) return { base: address, query: '', fragment };
  return { base: address.slice(0, mark), query: address.slice(mark + 1), fragment };
}

/** Returns the name of a parameter of a query, such as `a` of `a=1`. */
export function parameterName(pair: string): string {
  const name = pair.split('=', 1)[0] ?? '';
  if (!/[%+]/.test(name)) return name;
  // Decodes like browsers: a plus is a space, and an invalid escape stays as it is.
  // The ampersand protects a question mark at the beginning.
  return new URLSearchParams(`&${name}`).keys().next().value ?? '';
}
