import { parameterName } from './parameter-name.js';

/**
 * Sets query parameters of a serialised URL and returns it. Parameters of the same name are
 * replaced. Everything else stays unchanged byte for byte, because URLs may be signed.
 */
export function injectUtm(
  href: string,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  if (parameters.length === 0) return href;
  const hash = href.indexOf('#');
  const fragment = hash < 0 ? '' : href.slice(hash);
  const rest = hash < 0 ? href : href.slice(0, hash);
  const mark = rest.indexOf('?');
  const base = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
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
