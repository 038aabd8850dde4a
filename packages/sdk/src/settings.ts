import { checkNumber, checkObject, checkOptions } from './check-options.js';
import { refuse, ShortyConfigError } from './errors.js';
import type { Fetch } from './fetch.js';
import { version } from './generated/contract.js';
import type {
  BulkOptions,
  ChangeOptions,
  RequestHeaders,
  RequestOptions,
  ShortyHooks,
  ShortyOptions,
} from './options.js';
import type { TokenRequest } from './types.js';

/** The validated options of a client, with defaults. */
export interface Settings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly credentials: ClientCredentials | { readonly accessToken: string };
  readonly fetch: Fetch;
  readonly limits: RequestLimits;
  readonly maxRetryDelayMs: number;
  readonly headers: Headers;
  readonly hooks: ShortyHooks;
  readonly debug: ((line: string) => void) | undefined;
}

/** A request for a token. JSON omits an undefined scope. */
export interface ClientCredentials extends Omit<TokenRequest, 'scope'> {
  readonly scope: string | undefined;
}

export interface RequestLimits {
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
}

const defaultLimits: RequestLimits = { maxRetries: 3, timeoutMs: 30_000, deadlineMs: 120_000 };

/** All options of a client. */
const clientOptions: Readonly<Record<keyof ShortyOptions, true>> = {
  ...{ baseUrl: true, apiKey: true, accessToken: true, clientId: true, clientSecret: true },
  ...{ scope: true, fetch: true, headers: true, hooks: true, debug: true },
  ...{ maxRetries: true, timeoutMs: true, deadlineMs: true, maxRetryDelayMs: true },
};

/** All options of a request. */
export const requestOptions: Readonly<Record<keyof ChangeOptions, true>> = {
  ...{ signal: true, timeoutMs: true, deadlineMs: true, maxRetries: true },
  ...{ idempotencyKey: true, ifMatch: true, headers: true },
};

/** All options of a bulk call. */
export const bulkOptions: Readonly<Record<keyof BulkOptions<unknown>, true>> = {
  ...requestOptions,
  ...{ concurrency: true, collect: true, onChunk: true },
};

const hookNames: Readonly<Record<keyof ShortyHooks, true>> = {
  ...{ onRequest: true, onResponse: true, onRetry: true },
};

type Environment = Readonly<Record<string, string | undefined>>;

interface Runtime {
  readonly process?: { readonly env?: Environment; readonly version?: string };
  readonly navigator?: { readonly userAgent?: string };
}

export function readSettings(options: ShortyOptions): Settings {
  checkOptions(options, clientOptions);
  const { fetch, debug, hooks = {} } = options;
  checkOptions(hooks, hookNames, 'hooks');
  for (const [name, value] of Object.entries({ fetch, debug, ...hooks })) {
    if (value !== undefined && typeof value !== 'function') refuse(name, 'a function', value);
  }
  const { process, navigator }: Runtime = globalThis;
  const env = process?.env ?? {};
  const { maxRetryDelayMs = 60_000 } = options;
  checkNumber('maxRetryDelayMs', maxRetryDelayMs, true);
  const runtime = navigator?.userAgent ?? `Node.js/${process?.version}`;
  // A page may not set this header.
  const userAgent = runtime.startsWith('Mozilla')
    ? {}
    : { 'user-agent': `shorty-sdk/${version} ${runtime}` };
  return {
    baseUrl:
      options.baseUrl === undefined
        ? readBaseUrl(env.SHORTY_BASE_URL ?? '', 'SHORTY_BASE_URL')
        : readBaseUrl(options.baseUrl, 'baseUrl'),
    credentials: readCredentials(options, env),
    // Looked up at each call, because a program may replace the global fetch later.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    limits: readLimits(options, defaultLimits),
    maxRetryDelayMs,
    headers: mergeHeaders(userAgent, options.headers),
    hooks,
    debug,
  };
}

export function readLimits(options: RequestOptions, defaults: RequestLimits): RequestLimits {
  const limits: { -readonly [Name in keyof RequestLimits]: number } = { ...defaults };
  let name: keyof RequestLimits;
  for (name in limits) {
    limits[name] = options[name] ?? limits[name];
    checkNumber(name, limits[name], name === 'maxRetries');
  }
  return limits;
}

/** Returns headers with others set. Throws ShortyConfigError for invalid names and values. */
export function mergeHeaders(
  base: Headers | Record<string, string>,
  values: RequestHeaders = {},
  option = 'headers',
): Headers {
  checkObject(option, values);
  const headers = new Headers(base);
  const entries = Symbol.iterator in values ? values : Object.entries<string>(values);
  for (const [name, value] of entries as Iterable<readonly [string, string]>) {
    try {
      headers.set(name, value ?? '');
    } catch {
      // The original error quotes the value, which may be a secret.
      throw new ShortyConfigError(option, `must be valid in the HTTP header ${name}`);
    }
  }
  return headers;
}

function readBaseUrl(text: string, source: string): string {
  if (text === '') throw new ShortyConfigError('baseUrl', 'is missing: set it, or SHORTY_BASE_URL');
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {}
  // Without credentials, query and fragment, a URL is its origin and its path.
  if (!url || !/^https?:/.test(url.href) || url.href !== url.origin + url.pathname) {
    const rule = 'an http or https URL without credentials, query or fragment';
    // What precedes an @ may be a password.
    refuse(source, rule, typeof text === 'string' ? text.slice(text.lastIndexOf('@') + 1) : text);
  }
  // The documents name it as the path of the API, and each path of a request begins with it.
  return url.href.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

function readCredentials(options: ShortyOptions, env: Environment): Settings['credentials'] {
  const { scope, apiKey } = options;
  const isGiven = apiKey ?? options.accessToken ?? options.clientId ?? options.clientSecret;
  // Credentials of the environment are never combined with given ones.
  const { accessToken, clientId, clientSecret } =
    isGiven === undefined
      ? {
          accessToken: env.SHORTY_API_KEY || env.SHORTY_ACCESS_TOKEN,
          clientId: env.SHORTY_CLIENT_ID,
          clientSecret: env.SHORTY_CLIENT_SECRET,
        }
      : // The server distinguishes a key from a token by its prefix.
        { ...options, accessToken: apiKey ?? options.accessToken };
  if (accessToken) {
    mergeHeaders({}, { authorization: accessToken }, apiKey ? 'apiKey' : 'accessToken');
    return { accessToken };
  }
  if (clientId && clientSecret) {
    return { clientId, clientSecret, scope };
  }
  throw new ShortyConfigError(
    clientId ? 'clientSecret' : clientSecret ? 'clientId' : 'apiKey',
    'is missing: set apiKey (SHORTY_API_KEY), accessToken (SHORTY_ACCESS_TOKEN), or clientId and clientSecret (SHORTY_CLIENT_ID, SHORTY_CLIENT_SECRET)',
  );
}
