import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathOf } from '../src/command.js';
import { groups, commands as rows } from '../src/command-tree.js';
import { buildProgram } from '../src/program.js';
import { fakeIo } from './fake-io.js';
import { startSignedInShorty } from './signed-in-shorty.js';

/** Returns every command that is no group. */
function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

const commands = [...Object.keys(groups), ...Object.keys(rows)];

const { server, shorty } = await startSignedInShorty();

test('--version prints the version', async () => {
  const manifest = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  for (const flag of ['--version', '-V']) {
    const { code, stdout } = await shorty.run([flag]);
    expect([code, stdout]).toEqual([0, `${manifest.version}\n`]);
  }
  const line = '"$0" "$1" --version >/dev/full';
  const full = spawnSync('bash', ['-c', line, process.execPath, shorty.binary]);
  expect(`${full.stderr}`).toMatch(/^shorty: the output cannot be written: ENOSPC.*\n$/);
  expect(full.status).toBe(1);
});

test('the help of every command fits into 80 columns', async () => {
  for (const command of commands) {
    const words = command.split(' ').filter((word) => word !== '');
    const { code, stdout, stderr } = await shorty.run([...words, '--help']);
    expect([command, code, stderr]).toEqual([command, 0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: ${['shorty', ...words].join(' ')} `));
    expect(stdout.split('\n').filter((row) => row.length > 80)).toEqual([]);
  }
});

test('the help of every command has examples, which the command accepts', async () => {
  const defined = leavesOf(buildProgram(fakeIo(), async () => {}));
  expect(defined.map(pathOf).sort()).toEqual(Object.keys(rows).sort());
  await mkdir(shorty.path('.config/fish/completions'), { recursive: true });
  await shorty.write('secret.txt', '');
  for (const command of defined) {
    const path = pathOf(command);
    const examples = rows[path]?.examples ?? [];
    const { stdout } = await shorty.run(`${path} --help`);
    expect(stdout).toMatch(/\n\nExamples:\n {2}/);
    for (const example of examples) {
      expect(stdout).toContain(`  ${example.split('\n')[0]}\n`);
      for (const args of await shortyArguments(example)) {
        const started: string[] = [];
        const program = buildProgram(fakeIo(), async () => void started.push(path));
        await program.parseAsync(args, { from: 'user' });
        expect(started).toEqual([path]);
      }
    }
  }
});

/** Runs a line in bash, and returns the arguments of each call of `shorty`. */
async function shortyArguments(line: string): Promise<string[][]> {
  const define = 'shorty() { printf "%s\\0" "$@" >&3; printf "\\n\\0" >&3; }; pbcopy() { cat; }';
  const script = `${define}\nHOME=$PWD\n${line}`;
  const child = spawn('bash', ['-c', script], {
    cwd: shorty.folder,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  let text = '';
  for await (const chunk of child.stdio[3] as Readable) text += String(chunk);
  return text
    .split('\n\0')
    .slice(0, -1)
    .map((call) => call.split('\0').slice(0, -1));
}

test('help for a command has its options in either order of the words', async () => {
  const { stdout } = await shorty.run('urls rules set --help');
  expect(stdout).toContain('<file>');
  for (const words of ['help urls rules set', 'urls help rules set', 'urls rules help set']) {
    expect(await shorty.run(words)).toEqual({ code: 0, stdout, stderr: '' });
  }
});

test('without a command, prints the help to stderr and exits with 2', async () => {
  for (const args of [[], ['urls'], ['config'], ['qr'], ['webhooks']]) {
    const { code, stdout, stderr } = await shorty.run(args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('Usage: shorty')]);
  }
});

describe('a closed pipe is not an error', () => {
  beforeAll(async () => {
    const urls = Array.from({ length: 450 }, (_, i) => ({
      targetUrl: `https://pipe.example/${i}`,
    }));
    await server.client.urls.bulkCreate(urls);
  });

  test.each(['urls list --all -o ndjson', 'urls export', 'urls list --all --json'])(
    '%s',
    async (line) => {
      const { process, result } = shorty.start(line.split(' '));
      process.stdout.once('data', () => process.stdout.destroy());
      const { code, stderr } = await result;
      expect([code, stderr]).toEqual([0, '']);
    },
  );

  test('an import continues to its end', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => `https://closed.example/${i}`);
    const { process, result } = shorty.start(['urls', 'bulk-create', '-', '-o', 'ndjson'], {
      input: `url\n${rows.join('\n')}\n`,
    });
    process.stdout.once('data', () => process.stdout.destroy());
    const { code, stderr } = await result;
    expect([code, stderr]).toEqual([0, '']);
    expect((await server.client.urls.list({ search: 'closed.example' })).total).toBe(3000);
  });
});

test('SHORTY_DEBUG prints the stack trace and no secret', async () => {
  const { stderr } = await shorty.run('urls get 999999', { env: { SHORTY_DEBUG: '1' } });
  expect(stderr).toMatch(/\n {4}at /);
  expect(stderr).not.toContain(server.clientSecret);
});

// e2e/tools/completion.test.ts completes commands, options, values and files in each shell.
test('completion offers choices and fields, and fish shows what a word means', async () => {
  const candidates = async (shell: string, words: string) =>
    (await shorty.run(`completion ${shell} -- ${words}`)).stdout.split('\n').slice(0, -1);
  expect(await candidates('bash', 'qr create --format ')).toEqual(['png', 'svg', 'webp']);
  // Bash splits a word at the sign.
  expect(await candidates('bash', 'urls list --sort =')).toContain('clickCount');
  expect(await candidates('fish', 'urls list --ac')).toEqual(['--active\tonly active links']);
});

test.each([
  ['rm 3', 'urls delete'],
  ['urls rm 3', 'urls delete'],
  ['edit 3', 'urls update'],
  ['tags edit a', 'tags rename'],
  ['search spring', 'urls list --search TEXT'],
  ['pause 3', 'urls pause'],
  ['ls', 'urls list'],
  ['links', 'urls list'],
  ['webhooks ls', 'webhooks list'],
  ['stats', 'analytics overview'],
  ['urls stats 3', 'urls clicks'],
  ['qr stats', 'qr scans'],
  ['keys rm', 'keys revoke'],
  ['orgs list', 'admin orgs'],
])('%s suggests %s', async (line, command) => {
  await shorty.exits(2, `did you mean shorty ${command}?\n`, line.split(' '));
});

test('the help of a command has its own options, and one line for the global ones', async () => {
  const { stdout } = await shorty.run('urls get --help');
  expect(stdout).toContain('-h, --help');
  expect(stdout).not.toContain('--profile <name>');
  expect(stdout).toContain('shorty --help\n');
  expect((await shorty.run('--help')).stdout).toContain('--profile <name>');
});
