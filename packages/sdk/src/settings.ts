import { ShortyConfigError } from './errors.js';
import type { RequestOptions, ShortyHooks, ShortyOptions } from './options.js';
import type { TokenRequest } from './types.js';

/** The validated options of a client, with defaults. */
export interface Settings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly credentials: TokenRequest | { readonly accessToken: string };
  readonly fetch: typeof globalThis.fetch;
  readonly limits: RequestLimits;
  readonly maxRetryDelayMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly hooks: ShortyHooks;
}

export interface RequestLimits {
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
}

const defaultLimits: RequestLimits = { maxRetries: 3, timeoutMs: 30_000, deadlineMs: 120_000 };

export function readSettings(options: ShortyOptions): Settings {
  const { maxRetryDelayMs = 20_000 } = options;
  checkNumber('maxRetryDelayMs', maxRetryDelayMs, true);
  const headers = options.headers ?? {};
  createHeaders('headers', headers);
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    credentials: readCredentials(options),
    // Looked up at each call, because a program may replace the global fetch later.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    limits: readLimits(options, defaultLimits),
    maxRetryDelayMs,
    headers,
    hooks: options.hooks ?? {},
  };
}

export function readLimits(options: RequestOptions, defaults: RequestLimits): RequestLimits {
  const {
    maxRetries = defaults.maxRetries,
    timeoutMs = defaults.timeoutMs,
    deadlineMs = defaults.deadlineMs,
  } = options;
  checkNumber('maxRetries', maxRetries, true);
  checkNumber('timeoutMs', timeoutMs);
  checkNumber('deadlineMs', deadlineMs);
  return { maxRetries, timeoutMs, deadlineMs };
}

/** Creates headers. Throws ShortyConfigError for invalid names and values. */
export function createHeaders(option: string, values: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers(values);
  } catch {
    // The original error quotes the value, which may be a secret.
    throw new ShortyConfigError(
      option,
      'must contain only characters that are valid in HTTP headers',
    );
  }
}

export function checkNumber(option: string, value: number, isZeroAllowed = false): void {
  if (value > 0 || (isZeroAllowed && value === 0)) return;
  throw new ShortyConfigError(
    option,
    `must be a number ${isZeroAllowed ? 'of at least 0' : 'above 0'}, not ${value}`,
  );
}

function readBaseUrl(text: string | undefined): string {
  const url = parseUrl(text ?? '');
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    // The message does not repeat the text, which may contain a password.
    throw new ShortyConfigError(
      'baseUrl',
      'must be an http or https URL without credentials, query or fragment, such as https://sho.example',
    );
  }
  return url.href.replace(/\/+$/, '');
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function readCredentials(options: ShortyOptions): Settings['credentials'] {
  const { accessToken, clientId, clientSecret, scope } = options;
  if (accessToken) {
    createHeaders('accessToken', { authorization: `Bearer ${accessToken}` });
    return { accessToken };
  }
  if (clientId && clientSecret) {
    return { clientId, clientSecret, ...(scope === undefined ? {} : { scope }) };
  }
  if (clientId)
    throw new ShortyConfigError('clientSecret', 'is missing: set it together with clientId');
  if (clientSecret)
    throw new ShortyConfigError('clientId', 'is missing: set it together with clientSecret');
  throw new ShortyConfigError(
    'accessToken',
    'is missing: set it, or set clientId and clientSecret',
  );
}
