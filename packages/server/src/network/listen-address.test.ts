import { describe, expect, it } from 'vitest';
import { parseListenAddress } from './listen-address.js';

const parse = (text: string) => parseListenAddress(text, '192.0.2.1');

describe('parseListenAddress', () => {
  it.each([
    ['127.0.0.1:3001', { host: '127.0.0.1', port: 3001 }],
    ['[::1]:3001', { host: '::1', port: 3001 }],
    [':3001', { host: '192.0.2.1', port: 3001 }],
    ['/run/shorty/admin.sock', { path: '/run/shorty/admin.sock' }],
    [`/${'a'.repeat(102)}`, { path: `/${'a'.repeat(102)}` }],
  ])('reads %s', (text, address) => {
    expect(parse(text)).toEqual(address);
  });

  it.each([
    '::1:3001',
    '*:3001',
    'http://127.0.0.1:3001',
    '/run/a\0b',
    `${'a'.repeat(100_000)}!:1`,
  ])('refuses %.40j and says the rule', (text) => {
    expect(() => parse(text)).toThrow(
      /^it must be host:port, :port \(on HOST\), or the absolute path/,
    );
  });

  it('refuses a path that the system would cut off', () => {
    expect(() => parse(`/${'a'.repeat(103)}`)).toThrow('must have at most 103 bytes');
    expect(() => parse(`/${'ä'.repeat(52)}`)).toThrow('must have at most 103 bytes');
  });
});
