import { nearestName } from '@shorty/import';
import { UsageError } from '../../cli-error.js';
import type { ConfigContent } from '../../config-file.js';

/** The settings that `config` can change. Only `login` stores the secret. */
export const configKeys = ['baseUrl', 'clientId', 'profile'] as const;
export type ConfigKey = (typeof configKeys)[number];

export function parseConfigKey(text: string): ConfigKey {
  const key = configKeys.find((known) => known === text);
  if (key) return key;
  if (text === 'clientSecret' || text === 'apiKey') {
    throw new UsageError(
      'the secret cannot be read or set here',
      'use shorty login and shorty logout',
    );
  }
  const near = nearestName(text, configKeys);
  throw new UsageError(
    `unknown setting ${text}`,
    near ? `did you mean ${near}?` : `settings: ${configKeys.join(', ')}`,
  );
}

/** Returns the stored value. `profile` belongs to the file, other settings to a profile. */
export function readSetting(
  content: ConfigContent,
  profile: string,
  key: ConfigKey,
): string | undefined {
  return key === 'profile' ? content.profile : content.profiles[profile]?.[key];
}

export function writeSetting(
  content: ConfigContent,
  profile: string,
  key: ConfigKey,
  value: string | undefined,
): ConfigContent {
  if (key === 'profile') {
    const { profile: _, ...rest } = content;
    return value === undefined ? rest : { ...rest, profile: value };
  }
  const { [key]: _, ...others } = content.profiles[profile] ?? {};
  const changed = value === undefined ? others : { ...others, [key]: value };
  return { ...content, profiles: { ...content.profiles, [profile]: changed } };
}
