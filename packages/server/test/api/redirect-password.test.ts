import { describe, expect, it } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import { startForFile } from './start-server.js';

const targetUrl = 'https://example.com/secret';
const password = 'öpen sesame & <b>';
const wantsJson = { accept: 'application/json' };

const api = await startForFile({ trustedProxies: parseAddressRanges('127.0.0.1, ::1') });

const protect = async (body: object = {}) => {
  const data = await api.createLink({ targetUrl, isPasswordProtected: true, password, ...body });
  return `/${data.shortCode}`;
};
const form = (path: string, text: string, headers: Record<string, string> = {}) =>
  api.visit(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: text,
  });
const guess = (path: string, word: string, headers?: Record<string, string>) =>
  form(path, new URLSearchParams({ password: word }).toString(), headers);

describe('when isPasswordProtected is true, the password must be supplied', () => {
  it('GET shows a form, HEAD no body and JSON a 401; none of them redirects', async () => {
    const path = await protect();
    const page = await api.visit(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<form method="post">');
    expect(page.text).toContain('name="password" type="password"');
    expect(page.text).not.toContain(targetUrl);
    const head = await api.visit(path, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    const program = await api.visit(path, { headers: wantsJson });
    expect(program.outcome).toBe('401 UNAUTHORIZED');
    for (const { headers } of [page, head, program]) expect(headers.get('location')).toBeNull();
  });

  it('POST of the correct password redirects with 303 and no-store', async () => {
    const response = await guess(await protect({ redirectType: 301, utmSource: 'x' }), password);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`${targetUrl}?utm_source=x`);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('POST accepts the password as JSON', async () => {
    const path = await protect();
    const post = (body: unknown) =>
      api.visit(path, {
        method: 'POST',
        headers: { ...wantsJson, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post({ password })).status).toBe(303);
    expect((await post({ password: 'wrong' })).outcome).toBe('401 UNAUTHORIZED');
    const malformed = await post({ pasword: password });
    expect(malformed.outcome).toBe('400 VALIDATION_FAILED');
    expect(new Set(malformed.invalidFields)).toEqual(new Set(['password', 'pasword']));
  });

  it('POST of a wrong password shows the form again', async () => {
    const response = await guess(await protect(), 'wrong');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Password');
    expect(response.text).toContain('Wrong password.');
    expect(response.text).toContain('<form method="post">');
    expect(response.text).not.toContain(targetUrl);
  });

  it.each([
    ['NFC', 'NFD'],
    ['NFD', 'NFC'],
  ])('POST accepts a password set in %s and typed in %s', async (set, typed) => {
    const word = 'é한'.repeat(64);
    const path = await protect({ password: word.normalize(set) });
    expect((await guess(path, word.normalize(typed))).status).toBe(303);
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('%s responds with 405', async (method) => {
    const response = await api.visit(await protect(), { method });
    expect(response.outcome).toBe('405 METHOD_NOT_ALLOWED');
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('uses a changed or removed password at once; isPasswordProtected: null keeps the protection', async () => {
    const data = await api.createLink({ targetUrl, isPasswordProtected: true, password });
    const path = `/${data.shortCode}`;
    const change = (body: object) => api.call('updateUrl', { params: { id: data.id }, body });
    expect((await guess(path, password)).status).toBe(303);
    for (const body of [{}, { password: 'new one' }]) {
      const changed = await change({ isPasswordProtected: null, ...body });
      expect(changed.data.isPasswordProtected).toBe(true);
    }
    expect((await guess(path, password)).status).toBe(401);
    expect((await guess(path, 'new one')).status).toBe(303);
    await change({ isPasswordProtected: false });
    expect((await api.visit(path)).status).toBe(307);
  });
});

describe('invalid bodies', () => {
  it.each([
    ['another field', 'pass=x'],
    ['an empty password', 'password='],
    ['a password that is too long', `password=${'x'.repeat(513)}`],
  ])('%s is answered 400 with the form', async (_, text) => {
    const path = await protect();
    const response = await form(path, text);
    expect(response.status).toBe(400);
    expect(response.text).toContain('<form method="post">');
    const program = await form(path, text, wantsJson);
    expect(program.outcome).toBe('400 VALIDATION_FAILED');
    expect(program.invalidFields).toEqual(['password']);
  });

  it('do not use up attempts', async () => {
    const path = await protect();
    for (let at = 0; at < 15; at += 1) await form(path, '');
    expect((await guess(path, password)).status).toBe(303);
  });
});

describe('attempts are limited per link and address', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  // All addresses of an IPv6 /64 count as one.
  const same = '2001:db8::ffff';

  it('after ten failures in ten minutes, even the correct password gets 429 with Retry-After', async () => {
    const path = await protect();
    for (let at = 0; at < 10; at += 1) {
      expect((await guess(path, 'wrong', from(`2001:db8::${at}`))).status).toBe(401);
    }
    api.clock.advance(1000);
    const page = await guess(path, password, from(same));
    expect(page.status).toBe(429);
    expect(page.headers.get('retry-after')).toBe('599');
    expect(page.headers.get('ratelimit-limit')).toBe('10');
    expect(page.text).toContain('Try again in 10 minutes');
    const program = await guess(path, password, { ...from(same), ...wantsJson });
    expect(program.outcome).toBe('429 RATE_LIMITED');

    for (const other of ['2001:db8:0:1::1', '192.0.2.1']) {
      expect((await guess(path, password, from(other))).status).toBe(303);
    }
    expect((await guess(await protect(), password, from(same))).status).toBe(303);
    expect((await api.visit(path, { headers: from(same) })).status).toBe(200);

    api.clock.advance(599_000);
    expect((await guess(path, password, from(same))).status).toBe(303);
  });
});
