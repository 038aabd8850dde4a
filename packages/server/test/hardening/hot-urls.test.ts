import { beforeAll, describe, expect, it } from 'vitest';
import { parseReferrer } from '../../src/analytics/classify/parse-referrer.js';
import { canonicalAddress } from '../../src/network/ip-address.js';
import { parseUrl } from '../../src/network/parse-url.js';
import { findUrlError } from '../../src/network/receiver-url.js';
import { findTargetUrlError } from '../../src/network/target-url.js';

// V8 compiles a function after thousands of calls, and compiled code may call other functions of the
// runtime. So every test runs after this many calls.
const warmUpCalls = 30_000;
const highBytes = Array.from({ length: 128 }, (_, at) => String.fromCharCode(0x80 + at));
// Returns a flat one-byte string, as the HTTP parser creates it. Compiled code treats concatenated
// strings differently.
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
});
