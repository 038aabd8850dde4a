import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Shorty } from '@shorty/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkFields } from '../src/check-fields.js';
import { pathOf } from '../src/command.js';
import { httpFetch } from '../src/http-fetch.js';
import { main } from '../src/main.js';
import { outputFormats } from '../src/output.js';
import { buildProgram } from '../src/program.js';
import { displayWidth } from '../src/text-width.js';
import { type ApiServer, startApiServer } from './api-server.js';
import { everyCommand, leavesOf, waitingCommands } from './every-command.js';
import { fakeIo } from './fake-io.js';

const widths = [40, 60, 80, 120, 200];

const operatorKey = 'operator-key-of-the-tests-0123456789';

let server: ApiServer;
let operator: Shorty;
let folder: string;

beforeAll(async () => {
  server = await startApiServer({ operatorKey });
  operator = new Shorty({ baseUrl: server.url, accessToken: operatorKey });
  folder = await mkdtemp(join(tmpdir(), 'shorty-widths-'));
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Runs a command on a terminal of this width. */
async function run(args: readonly string[], columns: number, fetch = httpFetch) {
  const io = fakeIo({
    isTerminal: true,
    env: { ...server.env, SHORTY_OPERATOR_KEY: operatorKey },
    homeDirectory: folder,
    fetch,
    now: Date.now,
  });
  for (const stream of [io.stdout, io.stderr]) Object.assign(stream, { columns });
  const exitCode = await main(args, io);
  const stdout = stripVTControlCharacters(io.text.stdout);
  // Each new line of progress replaces the one before.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it finds the sequences of a terminal.
  const progress = /[^\n]*\r(?:\u001b\[\d+A)?\u001b\[J/g;
  const stderr = stripVTControlCharacters(io.text.stderr.replaceAll(progress, ''));
  return { exitCode, stdout, stderr };
}

/**
 * Returns lines that are too wide. Single words, such as URLs, and commands stay whole, because users
 * copy them.
 */
function tooWide(text: string, width: number): string[] {
  const isWhole = (line: string) => /^ *([^ ]+( \\)?|shorty .*)$/.test(line);
  return text.split('\n').filter((line) => displayWidth(line) > width && !isWhole(line));
}

test.each(widths)('every command fits %d columns', async (width) => {
  const lines = await everyCommand(server.client, operator, join(folder, `at-${width}`));
  const problems: string[] = [];
  for (const { args, exitCode } of lines) {
    const result = await run(args, width);
    const { stdout, stderr } = result;
    const [first = ''] = stdout.split('\n');
    const found = [
      ...(result.exitCode === exitCode ? [] : [`exit code ${result.exitCode}: ${stderr}`]),
      ...[...tooWide(stdout, width), ...tooWide(stderr, width)].map((line) => `wide: ${line}`),
      // Sentences are never cut, and neither are the titles of columns.
      ...(stderr.includes('…') ? [`cut: ${stderr}`] : []),
      ...(/^[a-z]+(?: {2}|$)/.test(first) && first.includes('…') ? [`cut: ${first}`] : []),
    ];
    problems.push(...found.map((problem) => `shorty ${args.join(' ')}: ${problem}`));
  }
  expect(problems).toEqual([]);
});

test.each(outputFormats)('every command applies --fields, or refuses it: %s', async (format) => {
  const inFormat = join(folder, `fields-${format}`);
  const lines = await everyCommand(server.client, operator, inFormat);
  const problems: string[] = [];
  for (const { args, exitCode } of lines) {
    // 3: some rows of the file are invalid.
    if (exitCode !== 0 && exitCode !== 3) continue;
    const changes: string[] = [];
    const fetch: typeof httpFetch = (input, init) => {
      const { method, url } = new Request(input, init);
      if (method !== 'GET' && !url.endsWith('/auth/token')) changes.push(`${method} ${url}`);
      return httpFetch(input, init);
    };
    const result = await run([...args, '--output', format, '--fields', 'no_such_field'], 80, fetch);
    const isRefused = result.exitCode === 2 && result.stderr.includes('--fields');
    if (!isRefused || changes.length > 0) {
      problems.push(
        `shorty ${args.join(' ')}: exit code ${result.exitCode}: ${changes} ${result.stderr}`,
      );
    }
    // Later lines need what this line creates.
    if (!args.includes('export')) await run(args, 80);
  }
  expect(problems).toEqual([]);
  // An export that is refused writes no file.
  await expect(access(join(inFormat, 'codes'))).rejects.toThrow('ENOENT');
});

test.each(['json', 'csv'] as const)(
  '--fields accepts what a command prints: %s',
  async (format) => {
    const lines = await everyCommand(server.client, operator, join(folder, `printed-${format}`));
    let checked = 0;
    for (const { args, exitCode } of lines) {
      if (exitCode !== 0 && exitCode !== 3) continue;
      const { stdout } = await run([...args, '--output', format], 80);
      const names = format === 'json' ? jsonNames(stdout) : stdout.split('\n', 1)[0]?.split(',');
      // The rows of an import have no fields that --fields selects.
      if (!names || (format === 'csv' && args.includes('bulk-create'))) continue;
      const program = buildProgram(fakeIo(), async (_, __, command) => {
        checkFields(names, command, format);
        checked += 1;
      });
      await program.parseAsync(args, { from: 'user' });
    }
    expect(checked).toBeGreaterThan(50);
  },
);

/** Returns the names of the fields of a record, or of the first item of a list. */
function jsonNames(text: string): string[] | undefined {
  if (!text.startsWith('{')) return undefined;
  const data = JSON.parse(text);
  return Object.keys(Array.isArray(data.items) ? (data.items[0] ?? {}) : data);
}

test.each(widths)('the help of every command fits %d columns', async (width) => {
  const program = buildProgram(fakeIo(), async () => {});
  for (const command of [program, ...program.commands, ...leavesOf(program)]) {
    const words = pathOf(command).split(' ').filter(Boolean);
    const { stdout } = await run([...words, '--help'], width);
    expect([words, tooWide(stdout, width)]).toEqual([words, []]);
    const wide = await run([...words, '--help'], 200);
    expect(wordsOf(stdout)).toEqual(wordsOf(wide.stdout));
  }
});

/** Returns the words of a help text without the backslashes at the ends of lines. */
function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '\\');
}

test('every-command.ts has all commands', async () => {
  const lines = await everyCommand(server.client, operator, join(folder, 'all'));
  const tested = new Set([...lines.map(({ command }) => command), ...waitingCommands]);
  expect([...tested].sort()).toEqual(
    leavesOf(buildProgram(fakeIo(), async () => {}))
      .map(pathOf)
      .sort(),
  );
});
