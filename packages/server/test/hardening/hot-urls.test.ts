import { beforeAll, describe, expect, it } from 'vitest';
import { parseReferrer } from '../../src/analytics/classify/parse-referrer.js';
import { canonicalAddress } from '../../src/network/ip-address.js';
import { parseUrl } from '../../src/network/parse-url.js';
import { findUrlError } from '../../src/network/receiver-url.js';
import { findTargetUrlError } from '../../src/urls/target-url.js';

// Node compiles a function after some thousand calls, and compiled code may take other paths into
// the runtime than interpreted code. Every test here therefore runs after this many calls.
const warmUpCalls = 30_000;
const highBytes = Array.from({ length: 128 }, (_, at) => String.fromCharCode(0x80 + at));
// As a parser of requests makes it: one flat string with a byte for each character. Compiled code
// treats one that was put together from parts otherwise.
const flat = (text: string) => Buffer.from(text, 'latin1').toString('latin1');
const rules = { allowPrivateNetwork: false };

const readers: Readonly<Record<string, (url: string) => unknown>> = {
  parseUrl,
  findTargetUrlError,
  parseReferrer,
  findUrlError: (url) => findUrlError(url, rules),
  canonicalAddress: (url) => canonicalAddress(`::${url}`),
};

describe('after thousands of calls with ASCII', () => {
  beforeAll(() => {
    for (let at = 0; at < warmUpCalls; at += 1) {
      for (const read of Object.values(readers))
        read(flat(`https://host-${at}.example/path/${at}`));
    }
  });

  it.each(Object.keys(readers))(
    '%s reads every byte from 0x80 to 0xFF without throwing',
    (name) => {
      const read = readers[name] as (url: string) => unknown;
      for (const byte of highBytes) {
        for (const url of [
          `https://${byte}x.example`,
          `https://\xc3${byte}x.example`,
          `https://x.example/${byte}`,
          `https://x.example:${byte}`,
          `${byte}https://x.example`,
        ]) {
          expect(() => read(flat(url))).not.toThrow();
        }
      }
    },
  );

  it('parseUrl agrees with the constructor about every Latin-1 host', () => {
    for (const byte of highBytes) {
      const text = flat(`https://\xc3${byte}x.example`);
      let href: string | undefined;
      try {
        href = new URL(text).href;
      } catch {
        href = undefined;
      }
      expect(parseUrl(text)?.href).toBe(href);
    }
  });

  it.each([
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['https://straße.example/ä?ö=ü#ß', 'https://xn--strae-oqa.example/%C3%A4?%C3%B6=%C3%BC#%C3%9F'],
    ['https://例え.example', 'https://xn--r8jz45g.example/'],
  ])('the target %s is accepted', (target, href) => {
    expect(findTargetUrlError(target)).toBeUndefined();
    expect(parseUrl(target)?.href).toBe(href);
  });

  it.each(['https://\xc3\xa0\x81x.example', 'https://\xad', 'https://a\x80b.example'])(
    'the target %j is refused',
    (target) => {
      expect(findTargetUrlError(target)).toMatch(/must/);
    },
  );
});
