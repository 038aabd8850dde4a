import { CliError, UsageError } from '../cli-error.js';
import type { CommandRow, Details } from '../command.js';
import type { ConfigContent } from '../config-file.js';
import type { Context } from '../context.js';
import { columnsOf } from '../format-rows.js';
import { checkBaseUrl, defaultBaseUrl } from '../settings.js';

/** The settings that `config` can change. Only `login` stores the secret. */
const configKeys = ['baseUrl', 'clientId', 'profile'] as const;
type ConfigKey = (typeof configKeys)[number];

const secretSettings = new Set(['clientSecret', 'apiKey']);
const keyArgument: Readonly<Record<string, Details>> = {
  '<key>': { text: 'name of the setting', choices: configKeys },
};

export const configCommands: Readonly<Record<string, CommandRow>> = {
  get: {
    summary: 'Print one setting',
    examples: ['shorty config get baseUrl'],
    args: keyArgument,
    run: async (context, { key }: { key: ConfigKey }) => {
      const profile = (await context.settings()).profile.value;
      const content = await context.config.read();
      // `profile` belongs to the file, other settings to a profile.
      const value = key === 'profile' ? content.profile : content.profiles[profile]?.[key];
      if (value === undefined) throw new CliError(`${key} is not set`, { code: 'NOT_SET' });
      await context.output.value(value, { [key]: value });
    },
  },
  set: {
    summary: 'Store a setting',
    examples: [
      'shorty config set baseUrl https://links.example.com',
      'shorty config set profile staging',
    ],
    args: { ...keyArgument, '<value>': 'its value' },
    hasNoData: true,
    run: async (context, { key, value }: { key: ConfigKey; value: string }) => {
      if (value === '') throw new UsageError(`${key} must not be empty`, 'use shorty config unset');
      const checked = key === 'baseUrl' ? checkBaseUrl({ value, source: 'argument' }) : value;
      await changeSetting(context, key, checked);
    },
  },
  list: {
    summary: 'Print all settings',
    examples: ['shorty config list'],
    run: async ({ config, output }) => {
      const { profile: selected, profiles } = await config.read();
      const rows = Object.entries(profiles).flatMap(([profile, stored]) =>
        Object.entries(stored).map(([key, value]) => ({
          ...{ profile, key, value: secretSettings.has(key) ? '(kept secret)' : value },
        })),
      );
      if (selected) rows.unshift({ profile: '', key: 'profile', value: selected });
      await output.list([rows], columnsOf('profile', 'key', 'value'));
    },
  },
  unset: {
    summary: 'Remove a setting',
    examples: ['shorty config unset baseUrl'],
    args: keyArgument,
    hasNoData: true,
    run: async (context, { key }: { key: ConfigKey }) => changeSetting(context, key, undefined),
  },
  path: {
    summary: 'Print the path of the configuration file',
    examples: ['shorty config path'],
    run: async ({ config: { path }, output }) => output.value(path, { path }),
  },
};

async function changeSetting(
  { config, settings }: Context,
  key: ConfigKey,
  value: string | undefined,
): Promise<void> {
  const content: ConfigContent = await config.read();
  const name = (await settings()).profile.value;
  const profile = { ...content.profiles[name] };
  const { baseUrl: server = defaultBaseUrl } = profile;
  const hasSecret = (profile.apiKey ?? profile.clientSecret) !== undefined;
  if (key === 'baseUrl' && hasSecret && (value ?? defaultBaseUrl) !== server) {
    throw new UsageError(
      `the secret of profile ${name} belongs to ${server}`,
      'run shorty login with the new address, or shorty logout first',
    );
  }
  const target = key === 'profile' ? content : profile;
  if (value === undefined) delete target[key as never];
  else Object.assign(target, { [key]: value });
  if (key !== 'profile') content.profiles[name] = profile;
  await config.write(content);
}
