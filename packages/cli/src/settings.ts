import { CliError, UsageError } from './cli-error.js';
import type { ConfigContent } from './config-file.js';
import { exitCodes } from './exit-codes.js';
import type { Io } from './io.js';
import { parseUrl } from './parse-url.js';

/** A setting and its source, which `whoami` prints. */
export interface Sourced {
  readonly value: string;
  readonly source: string;
}

export interface Settings {
  readonly profile: Sourced;
  readonly baseUrl: Sourced;
  readonly clientId: Sourced | undefined;
  readonly clientSecret: Sourced | undefined;
  readonly accessToken: Sourced | undefined;
}

export interface SettingFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly clientId?: string | undefined;
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
  // The stored secret is valid only for the stored client.
  const storedSecret = clientId?.value === stored?.clientId ? stored?.clientSecret : undefined;
  const clientSecret = pick(
    [env.SHORTY_CLIENT_SECRET, 'SHORTY_CLIENT_SECRET'],
    [storedSecret, fromProfile],
  );
  // --client-id overrides an access token from the environment.
  const token = flags.clientId === undefined ? env.SHORTY_ACCESS_TOKEN : undefined;
  const accessToken = pick([token, 'SHORTY_ACCESS_TOKEN']);
  return {
    profile,
    baseUrl: { ...baseUrl, value: checkBaseUrl(baseUrl) },
    clientId,
    clientSecret,
    accessToken,
  };
}

export type Credentials =
  | { readonly accessToken: string }
  | { readonly clientId: string; readonly clientSecret: string };

export function requireCredentials(settings: Settings): Credentials {
  const { accessToken, clientId, clientSecret } = settings;
  if (accessToken) return { accessToken: accessToken.value };
  if (clientId && clientSecret) {
    return { clientId: clientId.value, clientSecret: clientSecret.value };
  }
  const missing = clientId
    ? `no secret is set for client ${clientId.value} (${clientId.source})`
    : 'you are not signed in';
  throw new CliError(missing, {
    exitCode: exitCodes.notAllowed,
    code: 'NOT_SIGNED_IN',
    hint: 'run shorty login, or set SHORTY_CLIENT_ID and SHORTY_CLIENT_SECRET',
  });
}

export function checkBaseUrl({ value, source }: Sourced): string {
  const url = parseUrl(value);
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) {
    return value.replace(/\/+$/, '');
  }
  throw new UsageError(
    `the base URL ${JSON.stringify(value)} (${source}) must be an http or https URL`,
    'for example https://links.example.com',
  );
}

function pick(
  ...candidates: readonly (readonly [string | undefined, string])[]
): Sourced | undefined {
  for (const [value, source] of candidates) if (value) return { value, source };
  return undefined;
}
