import { chmod, mkdir, symlink } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { BuiltShorty } from './built-shorty.js';

const configFile = '.config/shorty/config.json';

const built = await BuiltShorty.build();

afterAll(() => built.remove());

async function withConfig(content: string): Promise<BuiltShorty> {
  const shorty = await built.withHome({});
  await mkdir(shorty.path('.config/shorty'), { recursive: true });
  await shorty.write(configFile, content);
  return shorty;
}

test('a new folder has mode 0700, and each write gives the file mode 0600', async () => {
  const shorty = await built.withHome({});
  await shorty.run('config set clientId a');
  expect(await shorty.mode('.config/shorty')).toBe('700');
  expect(await shorty.mode(configFile)).toBe('600');
  await chmod(shorty.path(configFile), 0o644);
  await shorty.run('config set clientId b');
  expect(await shorty.mode(configFile)).toBe('600');
  expect(await shorty.files('.config/shorty')).toEqual(['config.json']);
});

test('a write through a symbolic link changes the file that the link points to', async () => {
  const shorty = await withConfig('{}');
  await shorty.write('dotfile.json', '{"profiles":{}}');
  await shorty.run('config unset profile');
  const linked = await built.withHome({ SHORTY_CONFIG_DIR: shorty.path('linked') });
  await mkdir(shorty.path('linked'));
  await symlink(shorty.path('dotfile.json'), shorty.path('linked/config.json'));
  expect((await linked.run('config set profile work')).code).toBe(0);
  expect(JSON.parse(await shorty.read('dotfile.json'))).toEqual({ profile: 'work', profiles: {} });
});

test('an invalid file stops the command and names the file and the next step', async () => {
  const content = '{"profiles":';
  const shorty = await withConfig(content);
  const message = `the configuration file ${shorty.path(configFile)} cannot be read: `;
  const { stderr } = await shorty.exits(1, message, 'urls list');
  expect(stderr).toMatch('JSON');
  expect(stderr).toContain('correct it, or delete it and run shorty login');
  expect(await shorty.read(configFile)).toBe(content);
});

test('a home folder that cannot be written needs no configuration file to read', async () => {
  const shorty = await built.withHome({});
  // A file in place of the folder fails for every user; permissions do not stop root.
  await shorty.write('.config', '');
  const list = await shorty.run('config list --json');
  expect([list.code, JSON.parse(list.stdout)]).toEqual([0, { items: [] }]);
  const message = `the folder ${shorty.path('.config/shorty')} cannot be created: `;
  const set = await shorty.exits(1, message, 'config set profile work');
  expect(set.stderr).toContain('set SHORTY_CONFIG_DIR to another folder');
});
