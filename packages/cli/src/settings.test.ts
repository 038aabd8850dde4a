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
  const [flags, env] = [{ baseUrl: 'https://f.example' }, { SHORTY_BASE_URL: 'https://e.example' }];
  test.each([
    ['https://f.example', 'flag --base-url', flags, env, config],
    ['https://e.example', 'SHORTY_BASE_URL', {}, env, config],
    ['https://stored.example', 'profile default', {}, {}, config],
    ['http://localhost:3000', 'default', {}, {}, empty],
    // Empty variables are ignored.
    ['https://stored.example', 'profile default', {}, { SHORTY_BASE_URL: '' }, config],
  ])('%s of the %s', (value, source, flags, env, content) => {
    expect(resolveSettings(flags, env, content).baseUrl).toEqual({ value, source });
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
