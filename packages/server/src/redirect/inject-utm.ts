/** Parameters to set on a target, in order. */
export type UtmParameters = readonly (readonly [name: string, value: string])[];

/**
 * Sets query parameters of a serialised URL and returns it. Parameters of the same name are
 * replaced. Everything else stays unchanged byte for byte, because URLs may be signed.
 */
export function injectUtm(href: string, parameters: UtmParameters): string {
  if (parameters.length === 0) return href;
  const hash = href.indexOf('#');
  const fragment = hash < 0 ? '' : href.slice(hash);
  const rest = hash < 0 ? href : href.slice(0, hash);
  const mark = rest.indexOf('?');
  const base = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  const names = new Set(parameters.map(([name]) => name));
  const others = query.split('&').filter((pair) => pair !== '' && !names.has(nameOf(pair)));
  const set = parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return `${base}?${[...others, ...set].join('&')}${fragment}`;
}

function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0] ?? '';
  // Decodes like browsers: a plus is a space, and an invalid escape stays as it is.
  return new URLSearchParams(name).keys().next().value ?? '';
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
