import { describe, expect, it } from 'vitest';
import { codeOf, EVENT, NOW, SECRET, sample } from '../test/sample.js';
import * as node from './index.js';
import * as web from './web.js';

const options = { secret: SECRET, now: NOW };
const request = (change: { body?: string | null; headers?: HeadersInit } = {}) =>
  new Request('http://receiver.test/hook', { method: 'POST', ...sample(), ...change });

describe.each([
  ['node:crypto', node.verifyRequest],
  ['Web Crypto', web.verifyRequest],
])('verifyRequest on %s', (_name, verifyRequest) => {
  it('returns the event of a web Request', async () => {
    expect(await verifyRequest(request(), options)).toEqual(EVENT);
  });

  it('accepts either secret while one replaces the other', async () => {
    const rotating = sample({ secret: ['new', 'old'] });
    for (const secret of ['new', 'old', ['other', 'old']]) {
      expect((await verifyRequest(request(rotating), { ...options, secret })).id).toBe(EVENT.id);
    }
  });

  const { headers } = sample();
  const doubled = new Headers(headers);
  doubled.append('X-Service-Timestamp', headers['X-Service-Timestamp']);
  it.each<[string, Request, string]>([
    ['no headers', request({ headers: {} }), 'missing_header'],
    ['a doubled timestamp', request({ headers: doubled }), 'malformed_header'],
    ['another body', request({ body: '{}' }), 'signature_mismatch'],
    ['no body', request({ body: null }), 'signature_mismatch'],
    ['an old delivery', request(sample({ now: new Date(0) })), 'timestamp_out_of_tolerance'],
  ])('refuses %s', async (_name, given, code) => {
    expect(await codeOf(() => verifyRequest(given, options))).toBe(code);
  });

  it('notices a body that was read, or that a reader holds', async () => {
    const read = request();
    await read.json();
    expect(await codeOf(() => verifyRequest(read, options))).toBe('body_already_parsed');
    const locked = request();
    locked.body?.getReader();
    expect(await codeOf(() => verifyRequest(locked, options))).toBe('body_already_parsed');
  });

  it('answers a sender that breaks off with an error of its own, and says why', async () => {
    const broken = { headers, arrayBuffer: () => Promise.reject(new Error('reset')) };
    await expect(verifyRequest(broken, options)).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      cause: new Error('reset'),
    });
  });

  it('rejects for a missing secret before it reads anything', async () => {
    const given = request();
    await expect(verifyRequest(given, { ...options, secret: '' })).rejects.toThrow(TypeError);
    expect(given.bodyUsed).toBe(false);
  });
});
