import { parameterName, splitUrl } from './split-url.js';

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
