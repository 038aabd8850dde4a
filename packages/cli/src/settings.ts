import { parseUrl } from '@shorty/import';
import { CliError, exitCodes, UsageError } from './cli-error.js';
import type { ConfigContent } from './config-file.js';
import type { Io } from './io.js';

/** A setting and its source, which `whoami` prints. */
export interface Sourced {
  readonly value: string;
  readonly source: string;
}

export type Settings = ReturnType<typeof resolveSettings>;

/** The options of every command. */
export interface GlobalFlags {
  readonly json?: boolean;
  readonly output?: string;
  readonly excel?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly fields?: readonly string[];
  /** A jq expression. */
  readonly jq?: string;
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly clientId?: string;
  /** The time limit of each request, in seconds. */
  readonly timeout?: number;
}

export const defaultProfile = 'default';
export const defaultBaseUrl = 'http://localhost:3000';

/**
 * Resolves each setting. Flags override the environment, which overrides the profile. A profile that a
 * flag or SHORTY_PROFILE names overrides the environment.
 */
export function resolveSettings(flags: GlobalFlags, environment: Io['env'], config: ConfigContent) {
  const explicit = pick(
    [flags.profile, 'flag --profile'],
    [environment.SHORTY_PROFILE, 'SHORTY_PROFILE'],
  );
  const profile = explicit ??
    pick([config.profile, 'configuration file']) ?? { value: defaultProfile, source: 'default' };
  const stored = Object.hasOwn(config.profiles, profile.value)
    ? config.profiles[profile.value]
    : undefined;
  const env = explicit && stored ? {} : environment;
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
  const checkedUrl = checkBaseUrl(baseUrl);
  const storedServer = stored?.baseUrl ?? defaultBaseUrl;
  // Stored secrets are sent only to the server that issued them, and only for the stored client.
  const isStoredServer = isSameServer(checkedUrl, storedServer);
  const isStoredClient = stored?.clientSecret !== undefined && clientId?.value === stored.clientId;
  const hasStoredSecret = isStoredClient || stored?.apiKey !== undefined;
  // --client-id overrides an API key, and a token of the environment.
  const isClientNamed = flags.clientId !== undefined;
  const isClientSet = isClientNamed || env.SHORTY_CLIENT_ID !== undefined;
  return {
    profile,
    /** The names of the stored profiles. */
    profiles: Object.keys(config.profiles),
    baseUrl: { ...baseUrl, value: checkedUrl },
    apiKey: pick(
      [isClientNamed ? undefined : env.SHORTY_API_KEY, 'SHORTY_API_KEY'],
      [!isClientSet && isStoredServer ? stored?.apiKey : undefined, fromProfile],
    ),
    clientId,
    clientSecret: pick(
      [env.SHORTY_CLIENT_SECRET, 'SHORTY_CLIENT_SECRET'],
      [isStoredClient && isStoredServer ? stored.clientSecret : undefined, fromProfile],
    ),
    /** The server of a stored secret that is not used, because the base URL names another server. */
    secretServer: hasStoredSecret && !isStoredServer ? storedServer : undefined,
    // An API key comes first, as in the SDK.
    accessToken: pick([
      isClientNamed || env.SHORTY_API_KEY ? undefined : env.SHORTY_ACCESS_TOKEN,
      'SHORTY_ACCESS_TOKEN',
    ]),
  };
}

export type Credentials =
  | { readonly apiKey: string }
  | { readonly accessToken: string }
  | { readonly clientId: string; readonly clientSecret: string };

export function requireCredentials(settings: Settings): Credentials {
  const { accessToken, apiKey, baseUrl, clientId, clientSecret } = settings;
  const { profile, secretServer } = settings;
  requireProfile(settings);
  if (accessToken) return { accessToken: accessToken.value };
  if (apiKey) return { apiKey: apiKey.value };
  if (clientId && clientSecret) {
    return { clientId: clientId.value, clientSecret: clientSecret.value };
  }
  if (secretServer !== undefined) {
    throw notSignedIn(
      `the secret of profile ${profile.value} belongs to ${secretServer} and is not sent to ${baseUrl.value} (${baseUrl.source})`,
      `run shorty login --profile NAME --base-url ${baseUrl.value}, or set SHORTY_API_KEY`,
    );
  }
  throw notSignedIn(
    clientId
      ? `no secret is set for client ${clientId.value} (${clientId.source})`
      : 'you are not signed in',
    'run shorty login, or set SHORTY_API_KEY, or SHORTY_CLIENT_ID and SHORTY_CLIENT_SECRET',
  );
}

/** Returns what to do about credentials that the server refuses, by their source. */
export function replaceCredentials({ accessToken, apiKey, clientSecret, profile }: Settings) {
  const source = (accessToken ?? apiKey ?? clientSecret)?.source ?? '';
  return source.startsWith('profile ')
    ? `the credentials come from ${source}: shorty login --profile ${profile.value} stores others`
    : `the credentials come from ${source}: correct it, or unset it and use shorty login`;
}

/** Returns false if a profile is named that nothing is stored for. */
export function profileExists({ profile, profiles }: Settings): boolean {
  return profile.source === 'default' || profiles.includes(profile.value);
}

/** Throws if a profile is named that nothing is stored for: its server is not known. */
function requireProfile(settings: Settings): void {
  if (profileExists(settings)) return;
  const { profile, profiles } = settings;
  throw new UsageError(
    `the profile ${profile.value} (${profile.source}) does not exist`,
    profiles.length > 0
      ? `existing profiles: ${profiles.join(', ')}`
      : `run shorty login --profile ${profile.value} to create it`,
  );
}

/** Returns the operator key of the environment. */
export function requireOperatorKey(settings: Settings, { SHORTY_OPERATOR_KEY }: Io['env']): string {
  requireProfile(settings);
  if (SHORTY_OPERATOR_KEY) return SHORTY_OPERATOR_KEY;
  throw notSignedIn(
    'no operator key is set, which shorty admin needs beside your own sign-in',
    'set SHORTY_OPERATOR_KEY',
  );
}

function notSignedIn(message: string, hint: string): CliError {
  return new CliError(message, { exitCode: exitCodes.notAllowed, code: 'NOT_SIGNED_IN', hint });
}

function isSameServer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((url) => parseUrl(url)?.href.replace(/\/+$/, ''));
  return a !== undefined && a === b;
}

/** Returns a valid base URL. */
export function checkBaseUrl({ value, source }: Sourced): string {
  const url = parseUrl(value);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  // Without credentials, query and fragment, a URL is its origin and its path.
  if (url && isHttp && url.href === url.origin + url.pathname) return value.replace(/\/+$/, '');
  // What precedes an @ may be a password.
  const rest = value.slice(value.lastIndexOf('@') + 1);
  throw new UsageError(
    `the base URL ${JSON.stringify(rest)} (${source}) must be an http or https URL${isHttp ? ' without credentials, query or fragment' : ''}`,
    rest !== '' && !rest.includes('://')
      ? `write it with its scheme: https://${rest} or http://${rest}`
      : 'for example https://links.example.com',
  );
}

function pick(
  ...candidates: readonly (readonly [string | undefined, string])[]
): Sourced | undefined {
  for (const [value, source] of candidates) if (value) return { value, source };
  return undefined;
}
