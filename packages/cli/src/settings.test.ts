import { describe, expect, test } from 'vitest';
import { type ConfigContent, configFolder, stateFolder } from './config-file.js';
import { requireCredentials, resolveSettings } from './settings.js';

const config: ConfigContent = {
  profiles: {
    default: { baseUrl: 'https://stored.example', clientId: 'stored', clientSecret: 'kept' },
    work: { baseUrl: 'https://work.example/' },
  },
};
const empty: ConfigContent = { profiles: {} };

describe('the source of a setting', () => {
  test.each([
    ['flag', { baseUrl: 'https://f.example' }, { SHORTY_BASE_URL: 'https://e.example' }, config],
    ['environment', {}, { SHORTY_BASE_URL: 'https://e.example' }, config],
    ['profile', {}, {}, config],
    ['default', {}, {}, empty],
    ['empty variables are ignored', {}, { SHORTY_BASE_URL: '' }, config],
  ])('%s', (name, flags, env, content) => {
    const expected = {
      flag: { value: 'https://f.example', source: 'flag --base-url' },
      environment: { value: 'https://e.example', source: 'SHORTY_BASE_URL' },
      profile: { value: 'https://stored.example', source: 'profile default' },
      default: { value: 'http://localhost:3000', source: 'default' },
    }[name] ?? { value: 'https://stored.example', source: 'profile default' };
    expect(resolveSettings(flags, env, content).baseUrl).toEqual(expected);
  });

  test.each([
    [{ profile: 'work' }, { SHORTY_PROFILE: 'x' }, config, 'work', 'flag --profile'],
    [{}, { SHORTY_PROFILE: 'work' }, config, 'work', 'SHORTY_PROFILE'],
    [{}, {}, { ...config, profile: 'work' }, 'work', 'configuration file'],
    [{}, {}, config, 'default', 'default'],
  ])('profile: %j %j', (flags, env, content, value, source) => {
    expect(resolveSettings(flags, env, content).profile).toEqual({ value, source });
  });

  test('an unknown profile named like an object property has no settings', () => {
    const { baseUrl } = resolveSettings({ profile: 'constructor' }, {}, config);
    expect(baseUrl.source).toBe('default');
  });
});

describe('credentials', () => {
  const credentials = (flags: object, env: Record<string, string>, content = config) =>
    requireCredentials(resolveSettings(flags, env, content));

  test('a stored secret is used for the stored client only', () => {
    expect(() => credentials({ clientId: 'other' }, {})).toThrow(
      'no secret is set for client other (flag --client-id)',
    );
    expect(credentials({ clientId: 'stored' }, {})).toMatchObject({ clientSecret: 'kept' });
  });

  test('an access token overrides the client, except the client of a flag', () => {
    const env = { SHORTY_ACCESS_TOKEN: 'token' };
    expect(credentials({}, env)).toEqual({ accessToken: 'token' });
    expect(credentials({ clientId: 'stored' }, env)).toMatchObject({ clientId: 'stored' });
  });
});

test.each([
  ['linux', {}, '/home/me/.config/shorty', '/home/me/.local/state/shorty'],
  ['linux', { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, '/c/shorty', '/s/shorty'],
  ['linux', { SHORTY_CONFIG_DIR: '/x', SHORTY_STATE_DIR: '/y' }, '/x', '/y'],
  ['win32', { APPDATA: '/r', LOCALAPPDATA: '/l' }, '/r/shorty', '/l/shorty'],
] as const)('folders on %s with %j', (platform, env, config, state) => {
  const place = { platform, env, homeDirectory: '/home/me' };
  expect([configFolder(place), stateFolder(place)]).toEqual([config, state]);
});
