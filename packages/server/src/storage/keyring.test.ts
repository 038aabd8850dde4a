import { expect, it } from 'vitest';
import { Keyring, keyIdIn, keyIdOf, UnreadableSecretError } from './keyring.js';

const place = ['webhooks', 'a'];
const [first, second] = ['the first key of this test', 'the second key of this test'] as const;
const keyring = new Keyring([first]);
const encrypt = (text: string) => keyring.encrypt(text, place, keyIdOf(first));

it('decrypts what it encrypted, under a nonce of its own each time', () => {
  const stored = [encrypt('Müller 🔑'), encrypt('Müller 🔑')];
  expect(new Set(stored).size).toBe(2);
  for (const each of stored) {
    expect(each).not.toContain('Müller');
    expect(keyIdIn(each)).toBe(keyIdOf(first));
    expect(keyring.decrypt(each, place)).toBe('Müller 🔑');
  }
});

it.each([
  ['another row', ['webhooks', 'b']],
  ['another table', ['idempotency_keys', 'a']],
  ['parts that join to the same text', ['webhooksa', '']],
])('does not decrypt a value of %s', (_, other) => {
  expect(() => keyring.decrypt(encrypt('text'), other)).toThrow(UnreadableSecretError);
});

it('decrypts under each key, and names a key that is not set', () => {
  const old = encrypt('text');
  const both = new Keyring([second, first]);
  expect(both.decrypt(old, place)).toBe('text');
  both.use([second]);
  for (const use of [
    () => both.decrypt(old, place),
    () => both.encrypt('text', place, keyIdOf(first)),
  ]) {
    expect(use).toThrow(`its key is ${keyIdOf(first)}, which is not set`);
  }
});
