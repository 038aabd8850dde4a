import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashSecret, matchesHash, newSecret } from './secrets.js';

describe('newSecret', () => {
  it.each([
    ['clientId', /^shorty_ci_[\w-]{16}$/],
    ['clientSecret', /^shorty_cs_[\w-]{43}$/],
    ['accessToken', /^shorty_at_[\w-]{43}$/],
  ] as const)('a %s has a prefix that secret scanners know', (kind, form) => {
    expect(newSecret(kind)).toMatch(form);
    expect(newSecret(kind)).not.toBe(newSecret(kind));
  });
});

describe('matchesHash', () => {
  it('returns true only for the secret itself, whatever its length', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (secret, guess) => {
        expect(matchesHash(guess, hashSecret(secret))).toBe(guess === secret);
        expect(hashSecret(secret)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });
});
