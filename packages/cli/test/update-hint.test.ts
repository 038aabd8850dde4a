import { chmod, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { showUpdateHint } from '../src/update-hint.js';
import { version } from '../src/version.js';
import { type FakeIo, fakeIo } from './fake-io.js';

const installed = 'file:///usr/lib/node_modules/@shorty/cli/dist/bin.js';
const daySeconds = 86_400;

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'shorty-hint-'));
  onTestFinished(() => rm(home, { recursive: true, maxRetries: 5 }));
});

/** Puts an npm on the path that prints `output`, and what it was called with to a file. */
async function installNpm(output: string): Promise<string> {
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  const script = `#!/bin/sh\necho "$@" >> ${home}/calls\nenv > ${home}/env\necho '${output}'\n`;
  await writeFile(join(bin, 'npm'), script);
  await chmod(join(bin, 'npm'), 0o700);
  return [bin, process.env.PATH].join(delimiter);
}

async function run(
  env: Record<string, string>,
  { isTerminal = true, module = installed } = {},
): Promise<FakeIo> {
  const io = fakeIo({ isTerminal, homeDirectory: home, env, now: Date.now });
  await showUpdateHint(io, module);
  return io;
}

const calls = () => readFile(join(home, 'calls'), 'utf8').catch(() => '');
const file = () => join(home, '.local/state/shorty/latest-version');
const stored = () => readFile(file(), 'utf8');

/** Makes the file look as if npm had written it before. The time of a file is that of the system. */
async function age(days: number): Promise<void> {
  const time = Date.now() / 1000 - days * daySeconds;
  await utimes(file(), time, time);
}

test('the first command looks for a version in the background, the command of the next day prints it', async () => {
  const PATH = await installNpm('98.7.6');
  expect((await run({ PATH })).text.stderr).toBe('');
  await expect
    .poll(stored, { message: 'the version that npm prints', timeout: 10_000 })
    .toBe('98.7.6\n');
  expect(await calls()).toMatch(/^view @shorty\/cli version .*--fetch-timeout=\d+.*\n$/);
  await age(0.9);
  expect((await run({ PATH })).text.stderr).toBe('');
  await age(1.1);
  const next = await run({ PATH });
  expect(next.text).toEqual({
    stdout: '',
    stderr: `shorty 98.7.6 is available, this is ${version}; SHORTY_NO_UPDATE_HINT=1 hides this\n`,
  });
  await expect.poll(stored, { message: 'the version again', timeout: 10_000 }).toBe('98.7.6\n');
  expect((await run({ PATH })).text.stderr).toBe('');
  expect(await calls()).toMatch(/^(view .*\n){2}$/);
});

test.each([version, '0.0.1', '99.0.0-beta.1', 'npm error', '\u001b[2J99.0.0', ''])(
  'there is no hint for %j',
  async (output) => {
    const PATH = await installNpm(output);
    await run({ PATH });
    await expect
      .poll(stored, { message: 'the output of npm', timeout: 10_000 })
      .toBe(`${output}\n`);
    await age(2);
    expect((await run({ PATH })).text.stderr).toBe('');
    // The second look-up ends before the folder is deleted.
    await expect
      .poll(stored, { message: 'the output of npm again', timeout: 10_000 })
      .toBe(`${output}\n`);
  },
);

test('npm gets no credentials, and the file is for its owner only', async () => {
  const PATH = await installNpm('1.0.0');
  await run({ PATH, SHORTY_CLIENT_SECRET: 'secret', NPM_CONFIG_X: 'y' });
  await expect.poll(stored, { message: 'the output of npm', timeout: 10_000 }).toBe('1.0.0\n');
  const env = await readFile(join(home, 'env'), 'utf8');
  expect([env.includes('secret'), env.includes('NPM_CONFIG_X=y')]).toEqual([false, true]);
  const { mode } = await stat(file());
  expect(mode & 0o777).toBe(0o600);
});

test.each([
  ['off a terminal', {}, { isTerminal: false }],
  ['in CI', { CI: 'true' }, {}],
  ['with SHORTY_NO_UPDATE_HINT', { SHORTY_NO_UPDATE_HINT: '1' }, {}],
  ['with NO_UPDATE_NOTIFIER', { NO_UPDATE_NOTIFIER: '1' }, {}],
  ['in a clone of the repository', {}, { module: 'file:///src/shorty/packages/cli/dist/bin.js' }],
])('%s nothing is looked up', async (_, env, options) => {
  const PATH = await installNpm('98.7.6');
  await run({ PATH, ...env }, options);
  // A look-up creates this file before it starts npm.
  await expect(stored()).rejects.toThrow('ENOENT');
});

test('without npm or a folder, a command works as usual', async () => {
  expect((await run({ PATH: '/nowhere' })).text.stderr).toBe('');
  expect((await run({ PATH: '/nowhere', SHORTY_STATE_DIR: '/dev/null/x' })).text.stderr).toBe('');
});
