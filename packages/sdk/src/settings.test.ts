import { describe, expect, it } from 'vitest';
import { Shorty } from './client.js';
import { ShortyConfigError } from './errors.js';
import type { ShortyOptions } from './options.js';
import { readSettings } from './settings.js';

const good = { baseUrl: 'https://sho.test', accessToken: 'token' };

function refusal(options: Partial<ShortyOptions>): ShortyConfigError {
  try {
    new Shorty({ baseUrl: 'https://sho.test', ...options });
  } catch (error) {
    if (error instanceof ShortyConfigError) return error;
    throw error;
  }
  throw new Error('not refused');
}

describe('options', () => {
  it.each<[string, Partial<ShortyOptions>]>([
    ['accessToken', {}],
    ['accessToken', { accessToken: '', clientId: '', clientSecret: '' }],
    ['clientSecret', { clientId: 'id' }],
    ['clientId', { clientSecret: 'secret' }],
    ['accessToken', { accessToken: 'two\nlines' }],
    ['baseUrl', { ...good, baseUrl: '' }],
    ['baseUrl', { ...good, baseUrl: 'sho.test' }],
    ['baseUrl', { ...good, baseUrl: 'ftp://sho.test' }],
    ['baseUrl', { ...good, baseUrl: 'https://user:pass@sho.test' }],
    ['baseUrl', { ...good, baseUrl: 'https://sho.test/?a=b' }],
    ['baseUrl', { ...good, baseUrl: 'https://sho.test/#top' }],
    ['maxRetries', { ...good, maxRetries: -1 }],
    ['maxRetries', { ...good, maxRetries: Number.NaN }],
    ['timeoutMs', { ...good, timeoutMs: 0 }],
    ['deadlineMs', { ...good, deadlineMs: -5 }],
    ['maxRetryDelayMs', { ...good, maxRetryDelayMs: Number.NaN }],
    ['headers', { ...good, headers: { 'a b': 'c' } }],
    ['headers', { ...good, headers: { a: 'b\nc' } }],
  ])('names %s where it cannot work: %j', (option, options) => {
    const error = refusal(options);
    expect(error).toMatchObject({ name: 'ShortyConfigError', option, status: undefined });
    expect(error.message).toMatch(new RegExp(`^${option} `));
  });

  it.each<Partial<ShortyOptions>>([
    { accessToken: 'hush\nhush' },
    { ...good, baseUrl: 'https://user:hush@sho.test' },
    { ...good, headers: { authorization: 'hush\nhush' } },
  ])('does not repeat a secret: %j', (options) => {
    const error = refusal(options);
    expect([error.message, String(error.stack), String(error.cause)].join()).not.toContain('hush');
  });

  it('have the documented defaults', () => {
    expect(readSettings(good)).toMatchObject({
      baseUrl: 'https://sho.test',
      limits: { maxRetries: 3, timeoutMs: 30_000, deadlineMs: 120_000 },
      maxRetryDelayMs: 20_000,
    });
  });

  it('prefer an access token to client credentials', () => {
    const both = readSettings({ ...good, clientId: 'id', clientSecret: 'secret' });
    expect(both.credentials).toEqual({ accessToken: 'token' });
  });

  it('accept 0 retries, and Infinity for limits', () => {
    const options = { ...good, maxRetries: 0, deadlineMs: Infinity, timeoutMs: Infinity };
    expect(readSettings(options).limits).toEqual({
      maxRetries: 0,
      deadlineMs: Infinity,
      timeoutMs: Infinity,
    });
  });

  it('of a request are checked too', async () => {
    const shorty = new Shorty(good);
    const call = shorty.usage.get({}, { timeoutMs: -1 });
    await expect(call).rejects.toMatchObject({ option: 'timeoutMs' });
    await expect(shorty.usage.get({}, { headers: { 'a b': '' } })).rejects.toBeInstanceOf(
      ShortyConfigError,
    );
  });
});
