import { expect, it } from 'vitest';
import { parseUrl } from './parse-url.js';

const base = new URL('https://example.com/');
const host = 'a'.repeat(1_000);

it.each([
  (name: string) => `http://${name}/`,
  (name: string) => `http:${name}?query`,
  (name: string) => `https:\\\\user:password@${name}#part`,
  (name: string) => ` ht\ttp:///${name}`,
  (name: string) => `//${name}:8080`,
  (name: string) => `/\t/${name}`,
])('refuses a host of more than 1,000 characters before it converts it (%s)', (urlOf) => {
  expect(parseUrl(urlOf(host.slice(0, 990)), base)?.hostname).toBe(host.slice(0, 990));
  expect(parseUrl(urlOf(`${host}a`), base)).toBeUndefined();
});

it('accepts other long parts', () => {
  for (const text of [`/${host}${host}`, `${host}${host}`, `?${host}${host}`]) {
    expect(parseUrl(text, base)?.origin).toBe(base.origin);
  }
  expect(parseUrl(`https://${host}${host}@example.com`)?.username).toHaveLength(2_000);
});
