import { afterEach, describe, expect, it, vi } from 'vitest';
import { Shorty } from './client.js';
import { ShortyConfigError } from './errors.js';
import { version } from './generated/contract.js';
import type { ClientOptions, ShortyOptions } from './options.js';
import { readSettings } from './settings.js';

const good = { baseUrl: 'https://sho.test', accessToken: 'token' };

type Options = ClientOptions & Partial<Record<'accessToken' | 'clientId' | 'clientSecret', string>>;

function refusal(options: Options): ShortyConfigError {
  try {
    new Shorty({ baseUrl: 'https://sho.test', ...options } as ShortyOptions);
  } catch (error) {
    if (error instanceof ShortyConfigError) return error;
    throw error;
  }
  throw new Error('not refused');
}

it.each<[string, Options]>([
  ['apiKey', {}],
  ['clientSecret', { clientId: 'id' }],
  ['clientId', { clientSecret: 'secret' }],
  ['accessToken', { accessToken: 'two\nlines' }],
  ['baseUrl', { ...good, baseUrl: 'sho.test' }],
  ['baseUrl', { ...good, baseUrl: 'https://user:pass@sho.test' }],
  ['baseUrl', { ...good, baseUrl: 'https://sho.test/?a=b' }],
  ['baseUrl', { ...good, baseUrl: null as never }],
  ['hooks', { ...good, hooks: null as never }],
  ['headers', { ...good, headers: null as never }],
  ['headers', { ...good, headers: 'a: b' as never }],
  ['maxRetries', { ...good, maxRetries: -1 }],
  ['timeoutMs', { ...good, timeoutMs: 0 }],
  ['headers', { ...good, headers: { a: 'b\nc' } }],
  ['fetch', { ...good, fetch: 'x' as never }],
  ['onRetry', { ...good, hooks: { onRetry: 'x' as never } }],
  ['onReponse', { ...good, hooks: { onReponse() {} } as never }],
])('names %s where it cannot work: %j', (option, options) => {
  const error = refusal(options);
  expect(error).toMatchObject({ name: 'ShortyConfigError', option });
  expect(error.message).toMatch(new RegExp(`^${option} `));
});

it.each([
  ['timeout', 'did you mean timeoutMs?'],
  ['token', 'did you mean accessToken?'],
  ['idempotency', 'use accessToken, apiKey, baseUrl, clientId, '],
])('refuses %s, which is none: %s', (option, hint) => {
  const error = refusal({ ...good, [option]: 'x' });
  expect(error).toMatchObject({ option });
  expect(error.message).toContain(`${option} is not an option: ${hint}`);
});

it.each<Options>([
  'hush' as never,
  { accessToken: 'hush\nhush' },
  { ...good, baseUrl: 'https://user:hush@sho.test' },
  { ...good, headers: { authorization: 'hush\nhush' } },
])('does not repeat a secret: %j', (options) => {
  const error = refusal(options);
  expect([error.message, String(error.stack), String(error.cause)].join()).not.toContain('hush');
});

it('have the documented defaults, and prefer an access token to client credentials', () => {
  const both = readSettings({ ...good, clientId: 'id', clientSecret: 'secret' });
  expect(both).toMatchObject({
    baseUrl: 'https://sho.test',
    credentials: { accessToken: 'token' },
    limits: { maxRetries: 3, timeoutMs: 30_000, deadlineMs: 120_000 },
    maxRetryDelayMs: 60_000,
  });
});

it('accept 0 retries, and Infinity for limits', () => {
  const limits = { maxRetries: 0, deadlineMs: Infinity, timeoutMs: Infinity };
  expect(readSettings({ ...good, ...limits }).limits).toEqual(limits);
});

it('name the variables of what is missing', () => {
  expect(() => new Shorty({ accessToken: 'token' })).toThrow(
    'baseUrl is missing: set it, or SHORTY_BASE_URL',
  );
  expect(refusal({}).message).toBe(
    'apiKey is missing: set apiKey (SHORTY_API_KEY), accessToken (SHORTY_ACCESS_TOKEN), or clientId and clientSecret (SHORTY_CLIENT_ID, SHORTY_CLIENT_SECRET)',
  );
});

describe('from the environment', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('are used if none are given', () => {
    vi.stubEnv('SHORTY_BASE_URL', 'https://env.test/');
    vi.stubEnv('SHORTY_CLIENT_ID', 'env-id');
    vi.stubEnv('SHORTY_CLIENT_SECRET', 'env-secret');
    const { baseUrl, credentials } = readSettings({ scope: 'urls:read' });
    expect(baseUrl).toBe('https://env.test');
    expect(credentials).toEqual({
      clientId: 'env-id',
      clientSecret: 'env-secret',
      scope: 'urls:read',
    });
    vi.stubEnv('SHORTY_ACCESS_TOKEN', 'env-token');
    expect(readSettings({}).credentials).toEqual({ accessToken: 'env-token' });
    vi.stubEnv('SHORTY_API_KEY', 'env-key');
    expect(readSettings({}).credentials).toEqual({ accessToken: 'env-key' });
    expect(readSettings(good).baseUrl).toBe('https://sho.test');
  });

  it('are not combined with given ones', () => {
    vi.stubEnv('SHORTY_ACCESS_TOKEN', 'env-token');
    vi.stubEnv('SHORTY_CLIENT_ID', 'env-id');
    vi.stubEnv('SHORTY_CLIENT_SECRET', 'env-secret');
    expect(refusal({ clientId: 'id' }).option).toBe('clientSecret');
    expect(refusal({ clientSecret: 'secret' }).option).toBe('clientId');
    expect(refusal({ accessToken: '' }).option).toBe('apiKey');
    const given = { clientId: 'id', clientSecret: 'secret' };
    expect(readSettings({ ...given, baseUrl: 'https://sho.test' }).credentials).toEqual(given);
  });
});

describe('the User-Agent', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('has the version and the runtime', () => {
    vi.stubGlobal('navigator', undefined);
    const node = `shorty-sdk/${version} Node.js/${process.version}`;
    expect(readSettings(good).headers.get('user-agent')).toBe(node);
    vi.stubGlobal('navigator', { userAgent: 'Deno/2.1.0' });
    const deno = `shorty-sdk/${version} Deno/2.1.0`;
    expect(readSettings(good).headers.get('user-agent')).toBe(deno);
  });

  it('is not set in a page, and may be replaced', () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' });
    expect(readSettings(good).headers.has('user-agent')).toBe(false);
    const { headers } = readSettings({ ...good, headers: { 'User-Agent': 'mine' } });
    expect(headers.get('user-agent')).toBe('mine');
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
