import { describe, expect, it } from 'vitest';
import { createLogger, maxLoggedLength } from './create-logger.js';

function logged(fields: object): { text: string; line: Record<string, unknown> } {
  let text = '';
  createLogger('info', { write: (line: string) => (text += line) }).info(fields, 'request');
  return { text, line: JSON.parse(text) };
}

const token = `shorty_at_${'a'.repeat(43)}`;

describe('createLogger', () => {
  it.each([
    { path: token },
    { path: 'Bearer abcdefgh12345678' },
    { path: '/x/Basic%20%20YWJjZGVmZ2g=' },
    { path: `Bearer${' '.repeat(1_000)}abcdefgh12345678` },
    { password: 'abcdefgh' },
    { err: Object.assign(new Error('x'), { clientSecret: 'abcdefgh' }) },
    { err: new Error('Authorization: Basic abcdefgh=') },
    { request: { headers: { authorization: 'abcdefgh' } } },
  ])('hides the secret in %j', (fields) => {
    const { text } = logged(fields);
    expect(text).toContain('[hidden]');
    expect(text).not.toMatch(/abcdefgh|YWJj|aaaa/);
  });

  it('truncates every text at 2 KB, also in errors and nested fields', () => {
    const long = 'x'.repeat(80_000);
    const err = Object.assign(new Error(long), { detail: { name: long } });
    const { text, line } = logged({ path: long, nested: { list: [long] }, err });
    expect(String(line.path).length).toBeLessThan(maxLoggedLength + 40);
    expect(line.path).toContain('(80000 characters)');
    expect(text.length).toBeLessThan(8 * maxLoggedLength);
  });

  it('writes text for a terminal: time, level, event and fields, with the stack below', () => {
    let text = '';
    const logger = createLogger('info', { write: (line: string) => (text += line) }, 'text');
    logger.warn({ path: '/a b', status: 503, url: 'http://e.com/x' }, 'request refused');
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} warn {2}request refused path="\/a b" status=503 url=http:\/\/e\.com\/x\n$/,
    );
    text = '';
    logger.error({ err: new Error(`no\x1b[2J ${token}\nmore\u202e`) }, 'uncaught error');
    const [first, ...stack] = text.trimEnd().split('\n');
    expect(first).toMatch(/ error uncaught error err=\{"type":"Error","message":"no/);
    expect(stack.length).toBeGreaterThan(3);
    expect(stack.every((line) => line.startsWith('    '))).toBe(true);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    expect(text).not.toContain(token);
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
