/** What a link adds of a visit to its target. */
export interface Forwarding {
  readonly query: boolean;
  readonly path: boolean;
}

/** What follows the key in the address of a visit, as it was sent. */
export interface VisitedAddress {
  /** Empty, or a slash and further segments. */
  readonly rest: string;
  readonly query: string;
}

// The limit of a target, because a Location beyond it would be refused by many servers.
const maxForwardedCharacters = 8192;

/**
 * Adds the query, and the path after the key, of a visit to a serialised target. Parameters that the
 * target has, such as those of the link's UTM fields, win over those of the visit. The origin and the
 * fragment stay. Returns undefined for a path that is not forwarded.
 */
export function forwardRequest(
  location: string,
  forwarding: Forwarding,
  { rest, query }: VisitedAddress,
): string | undefined {
  const takesPath = rest !== '';
  if (takesPath && !(forwarding.path && isPlainPath(rest))) return undefined;
  const takesQuery = forwarding.query && query !== '' && query.length <= maxForwardedCharacters;
  if (!takesPath && !takesQuery) return location;
  const { base, query: search, fragment } = splitUrl(location);
  const path = takesPath ? base.replace(/\/$/, '') + escapePath(rest) : base;
  const joined = takesQuery ? joinQueries(search, query) : search;
  return `${path}${joined === '' ? '' : `?${joined}`}${fragment}`;
}

/**
 * Returns whether each segment stays one segment on every server: no dots that lead upwards, no encoded
 * slash or backslash, no control character, and no empty segment but the last.
 */
function isPlainPath(rest: string): boolean {
  if (rest.length > maxForwardedCharacters) return false;
  if (/\\|%2f|%5c|%[01][\da-f]|%7f|\/\//i.test(rest)) return false;
  return !rest.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

/** Appends the parameters whose names the target does not have, in their order. */
function joinQueries(search: string, query: string): string {
  const own = new Set(search.split('&').map(parameterName));
  const added = query.split('&').filter((pair) => pair !== '' && !own.has(parameterName(pair)));
  const kept = search === '' ? [] : [search];
  return [...kept, ...added.map(escapeQuery)].join('&');
}

// All characters but those of RFC 3986.
const unsafeInPath = /[^\w~!$&'()*+,;=:@%/.-]/g;
// The characters that a URL parser encodes. The others stay, because signed URLs compare bytes.
const unsafeInQuery = /[^!$-&(-;=?-~]/g;

function escapePath(path: string): string {
  return path.replace(unsafeInPath, percentEncode);
}

function escapeQuery(pair: string): string {
  return pair.replace(unsafeInQuery, percentEncode);
}

/** Node reads the bytes of a request line as Latin-1, so a character is one byte. */
function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

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

/**
 * Sets query parameters of a serialised URL and returns it. Parameters of the same name are
 * replaced. Everything else stays unchanged byte for byte, because URLs may be signed.
 */
export function injectUtm(
  href: string,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  if (parameters.length === 0) return href;
  const { base, query, fragment } = splitUrl(href);
  const names = new Set(parameters.map(([name]) => name));
  const others = query.split('&').filter((pair) => pair !== '' && !names.has(parameterName(pair)));
  const set = parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return `${base}?${[...others, ...set].join('&')}${fragment}`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
