import { CliError, UsageError } from './cli-error.js';
import type { ConfigContent } from './config-file.js';
import { exitCodes } from './exit-codes.js';
import { findProxy } from './find-proxy.js';
import type { Io } from './io.js';
import { parseUrl } from './parse-url.js';

/** A setting and its source, which `whoami` prints. */
export interface Sourced {
  readonly value: string;
  readonly source: string;
}

export interface Settings {
  readonly profile: Sourced;
  /** The names of the stored profiles. */
  readonly profiles: readonly string[];
  readonly baseUrl: Sourced;
  readonly clientId: Sourced | undefined;
  readonly clientSecret: Sourced | undefined;
  /** The server of a stored secret that is not used, because the base URL names another server. */
  readonly secretServer: string | undefined;
  readonly accessToken: Sourced | undefined;
  readonly operatorKey: Sourced | undefined;
  /** The server of a stored operator key that is not used, because the base URL names another server. */
  readonly operatorServer: string | undefined;
}

export interface SettingFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly clientId?: string | undefined;
  /** The time limit of each request, in seconds. */
  readonly timeout?: number | undefined;
}

export const defaultProfile = 'default';
export const defaultBaseUrl = 'http://localhost:3000';

/** Resolves each setting. Flags override the environment, which overrides the profile. */
export function resolveSettings(
  flags: SettingFlags,
  env: Io['env'],
  config: ConfigContent,
): Settings {
  const profile = pick(
    [flags.profile, 'flag --profile'],
    [env.SHORTY_PROFILE, 'SHORTY_PROFILE'],
    [config.profile, 'configuration file'],
  ) ?? { value: defaultProfile, source: 'default' };
  const stored = Object.hasOwn(config.profiles, profile.value)
    ? config.profiles[profile.value]
    : undefined;
  const fromProfile = `profile ${profile.value}`;
  const baseUrl = pick(
    [flags.baseUrl, 'flag --base-url'],
    [env.SHORTY_BASE_URL, 'SHORTY_BASE_URL'],
    [stored?.baseUrl, fromProfile],
  ) ?? { value: defaultBaseUrl, source: 'default' };
  const clientId = pick(
    [flags.clientId, 'flag --client-id'],
    [env.SHORTY_CLIENT_ID, 'SHORTY_CLIENT_ID'],
    [stored?.clientId, fromProfile],
  );
  const checkedUrl = checkBaseUrl(baseUrl, env);
  const storedServer = stored?.baseUrl ?? defaultBaseUrl;
  const isStoredServer = isSameServer(checkedUrl, storedServer);
  // The stored secret is sent only for the stored client, and only to the server that issued it.
  const isStoredClient = stored?.clientSecret !== undefined && clientId?.value === stored.clientId;
  const storedSecret = isStoredClient && isStoredServer ? stored.clientSecret : undefined;
  const clientSecret = pick(
    [env.SHORTY_CLIENT_SECRET, 'SHORTY_CLIENT_SECRET'],
    [storedSecret, fromProfile],
  );
  // --client-id overrides an access token from the environment.
  const token = flags.clientId === undefined ? env.SHORTY_ACCESS_TOKEN : undefined;
  const accessToken = pick([token, 'SHORTY_ACCESS_TOKEN']);
  return {
    profile,
    profiles: Object.keys(config.profiles),
    baseUrl: { ...baseUrl, value: checkedUrl },
    clientId,
    clientSecret,
    secretServer: isStoredClient && !isStoredServer ? storedServer : undefined,
    accessToken,
    operatorKey: pick(
      [env.SHORTY_OPERATOR_KEY, 'SHORTY_OPERATOR_KEY'],
      [isStoredServer ? stored?.operatorKey : undefined, fromProfile],
    ),
    operatorServer: stored?.operatorKey !== undefined && !isStoredServer ? storedServer : undefined,
  };
}

export interface OperatorSignIn {
  readonly baseUrl: string;
  readonly operatorKey: string;
}

/** Returns the operator key and the server that it is for. */
export function requireOperatorKey({
  baseUrl,
  operatorKey,
  operatorServer,
  profile,
}: Settings): OperatorSignIn {
  if (operatorKey) return { baseUrl: baseUrl.value, operatorKey: operatorKey.value };
  const problem =
    operatorServer === undefined
      ? 'no operator key is set'
      : `the operator key of profile ${profile.value} belongs to ${operatorServer} and is not sent to ${baseUrl.value} (${baseUrl.source})`;
  throw new CliError(problem, {
    exitCode: exitCodes.notAllowed,
    code: 'NOT_SIGNED_IN',
    hint: 'run shorty admin login, or set SHORTY_OPERATOR_KEY',
  });
}

export type Credentials =
  | { readonly accessToken: string }
  | { readonly clientId: string; readonly clientSecret: string };

export function requireCredentials(settings: Settings): Credentials {
  const { accessToken, baseUrl, clientId, clientSecret, profile, profiles, secretServer } =
    settings;
  if (profile.source !== 'default' && !profiles.includes(profile.value)) {
    throw new UsageError(
      `the profile ${profile.value} (${profile.source}) does not exist`,
      profiles.length > 0
        ? `existing profiles: ${profiles.join(', ')}`
        : `run shorty login --profile ${profile.value} to create it`,
    );
  }
  if (accessToken) return { accessToken: accessToken.value };
  if (clientId && clientSecret) {
    return { clientId: clientId.value, clientSecret: clientSecret.value };
  }
  if (secretServer !== undefined) {
    throw new CliError(
      `the secret of profile ${profile.value} belongs to ${secretServer} and is not sent to ${baseUrl.value} (${baseUrl.source})`,
      {
        exitCode: exitCodes.notAllowed,
        code: 'NOT_SIGNED_IN',
        hint: `run shorty login --profile NAME --base-url ${baseUrl.value}, or set SHORTY_CLIENT_ID and SHORTY_CLIENT_SECRET`,
      },
    );
  }
  const missing = clientId
    ? `no secret is set for client ${clientId.value} (${clientId.source})`
    : 'you are not signed in';
  throw new CliError(missing, {
    exitCode: exitCodes.notAllowed,
    code: 'NOT_SIGNED_IN',
    hint: 'run shorty login, or set SHORTY_ACCESS_TOKEN, or SHORTY_CLIENT_ID and SHORTY_CLIENT_SECRET',
  });
}

function isSameServer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((url) => parseUrl(url)?.href.replace(/\/+$/, ''));
  return a !== undefined && a === b;
}

/** Returns a valid base URL. With an environment, its proxy for this URL must be valid, too. */
export function checkBaseUrl({ value, source }: Sourced, env: Io['env'] = {}): string {
  const url = parseUrl(value);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  // Without credentials, query and fragment, a URL is its origin and its path.
  if (url && isHttp && url.href === url.origin + url.pathname) {
    findProxy(url, env);
    return value.replace(/\/+$/, '');
  }
  // What precedes an @ may be a password.
  const shown = JSON.stringify(value.slice(value.lastIndexOf('@') + 1));
  throw new UsageError(
    `the base URL ${shown} (${source}) must be an http or https URL${isHttp ? ' without credentials, query or fragment' : ''}`,
    'for example https://links.example.com',
  );
}

function pick(
  ...candidates: readonly (readonly [string | undefined, string])[]
): Sourced | undefined {
  for (const [value, source] of candidates) if (value) return { value, source };
  return undefined;
}
