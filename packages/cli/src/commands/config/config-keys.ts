import { UsageError } from '../../cli-error.js';
import type { ConfigContent } from '../../config-file.js';
import { nearestName } from '../../import/nearest-name.js';

/** Settings that `config` changes; the secret is kept by `login` alone. */
export const configKeys = ['baseUrl', 'clientId', 'profile'] as const;
export type ConfigKey = (typeof configKeys)[number];

export function parseConfigKey(text: string): ConfigKey {
  const key = configKeys.find((known) => known === text);
  if (key) return key;
  if (text === 'clientSecret') {
    throw new UsageError('the secret is never shown or typed here', 'use shorty login and logout');
  }
  const near = nearestName(text, configKeys);
  throw new UsageError(
    `there is no setting ${text}`,
    near ? `did you mean ${near}?` : `settings: ${configKeys.join(', ')}`,
  );
}

/** The stored value: `profile` is the file's own, the rest belongs to a profile. */
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
  const { [key]: _, ...kept } = content.profiles[profile] ?? {};
  const changed = value === undefined ? kept : { ...kept, [key]: value };
  return { ...content, profiles: { ...content.profiles, [profile]: changed } };
}
