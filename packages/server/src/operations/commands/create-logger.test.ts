import { describe, expect, it } from 'vitest';
import { newSecret } from '../../auth/secrets.js';
import { createLogger, maxLoggedLength } from './create-logger.js';

function logged(fields: object): { text: string; line: Record<string, unknown> } {
  let text = '';
  createLogger('info', { write: (line: string) => (text += line) }).info(fields, 'request');
  return { text, line: JSON.parse(text) };
}

const token = `shorty_at_${'a'.repeat(43)}`;

describe('createLogger', () => {
  it.each([
    ['a secret of ours', token],
    ['a bearer token', 'Bearer abcdefgh12345678'],
    ['credentials in a path', '/x/Basic%20%20YWJjZGVmZ2g='],
    ['credentials behind many spaces', `Bearer${' '.repeat(1_000)}abcdefgh12345678`],
  ])('hides %s', (_, path) => {
    const { text } = logged({ path });
    expect(text).toContain('[hidden]');
    expect(text).not.toMatch(/abcdefgh|YWJj|aaaa/);
  });

  it.each(['clientSecret', 'accessToken', 'webhookSecret'] as const)('hides a new %s', (kind) => {
    const secret = newSecret(kind);
    expect(logged({ path: `/${secret}` }).line.path).toBe('/[hidden]');
  });

  it('truncates every text at 2 KB, also in errors and nested fields', () => {
    const long = 'x'.repeat(80_000);
    const err = Object.assign(new Error(long), { detail: { name: long } });
    const { text, line } = logged({ path: long, nested: { list: [long] }, err });
    expect(String(line.path).length).toBeLessThan(maxLoggedLength + 40);
    expect(line.path).toContain('(80000 characters)');
    expect(text.length).toBeLessThan(8 * maxLoggedLength);
  });

  it('escapes controls that a terminal obeys', () => {
    const path = '/\x1b[2J\x7f\x9b31m\u202e\u2028';
    const { text, line } = logged({ path });
    expect(text.trimEnd()).toMatch(/^[\x20-\x7e]*$/);
    expect(line.path).toBe(path);
  });

  // A pattern that backtracks takes minutes for each of these texts and exceeds the time limit.
  it.each(['+', ' ', '%20', 'Bearer', 'Bearer+', 'shorty_at_'])(
    'writes lines of a run of %j',
    (part) => {
      const path = part.repeat(80_000 / part.length);
      for (let at = 0; at < 20; at += 1) logged({ path });
    },
  );
});
