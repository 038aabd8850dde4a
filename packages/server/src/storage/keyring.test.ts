import { describe, expect, it } from 'vitest';
import { Keyring, keyIdIn, keyIdOf, UnreadableSecretError } from './keyring.js';

const place = ['webhooks', 'secret', 'a'];
const [first, second] = ['the first key of this test', 'the second key of this test'] as const;

describe('a keyring', () => {
  it('decrypts what it encrypted, under a nonce of its own each time', () => {
    const keyring = new Keyring([first]);
    const stored = [keyring.encrypt('Müller 🔑', place), keyring.encrypt('Müller 🔑', place)];
    expect(new Set(stored).size).toBe(2);
    for (const each of stored) {
      expect(each).toMatch(/^enc:1:[0-9a-f]{12}:[\w-]+$/);
      expect(each).not.toContain('Müller');
      expect(keyIdIn(each)).toBe(keyIdOf(first));
      expect(keyring.decrypt(each, place)).toBe('Müller 🔑');
      // From the cache.
      expect(keyring.decrypt(each, place)).toBe('Müller 🔑');
    }
  });

  it.each([
    ['another row', ['webhooks', 'secret', 'b']],
    ['another column', ['webhooks', 'previous_secret', 'a']],
    ['parts that join to the same text', ['webhooks', 'secreta', '']],
  ])('does not decrypt a value of %s', (_, other) => {
    const keyring = new Keyring([first]);
    const stored = keyring.encrypt('text', place);
    expect(keyring.decrypt(stored, place)).toBe('text');
    expect(() => keyring.decrypt(stored, other)).toThrow(UnreadableSecretError);
  });

  it('does not decrypt a changed or truncated value', () => {
    const keyring = new Keyring([first]);
    const stored = keyring.encrypt('text', place);
    const start = stored.lastIndexOf(':') + 1;
    const bytes = Buffer.from(stored.slice(start), 'base64url');
    const changed = [...bytes.keys()].map((at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] as number) ^ 1;
      return copy;
    });
    for (const other of [...changed, bytes.subarray(0, 3), bytes.subarray(0, 20)]) {
      const value = stored.slice(0, start) + other.toString('base64url');
      expect(() => keyring.decrypt(value, place)).toThrow('is damaged, or from another row');
    }
    expect(() => keyring.decrypt('enc:1:what', place)).toThrow(UnreadableSecretError);
  });

  it('encrypts under the first key, decrypts under each, and names a key that is not set', () => {
    const old = new Keyring([first]).encrypt('text', place);
    const both = new Keyring([second, first]);
    expect(both.decrypt(old, place)).toBe('text');
    expect(keyIdIn(both.encrypt('text', place))).toBe(keyIdOf(second));
    expect(() => new Keyring([second]).decrypt(old, place)).toThrow(
      `webhooks.secret of a is encrypted under the key ${keyIdOf(first)}, which is not set`,
    );
    both.use([second]);
    expect(() => both.decrypt(old, place)).toThrow(UnreadableSecretError);
  });

  it('returns texts that are not encrypted as they are', () => {
    expect(new Keyring([first]).decrypt('shorty_ws_plain', place)).toBe('shorty_ws_plain');
    expect(new Keyring().encrypt('shorty_ws_plain', place)).toBe('shorty_ws_plain');
  });
});
