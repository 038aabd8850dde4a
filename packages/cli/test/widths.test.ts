import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Shorty } from '@shorty/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram, pathOf } from '../src/command-tree.js';
import { httpFetch } from '../src/http-fetch.js';
import { main } from '../src/main.js';
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
async function run(args: readonly string[], columns: number) {
  const io = fakeIo({
    isTerminal: true,
    env: { ...server.env, SHORTY_OPERATOR_KEY: operatorKey },
    homeDirectory: folder,
    fetch: httpFetch,
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

test('every command applies --fields, or refuses it', async () => {
  const lines = await everyCommand(server.client, operator, join(folder, 'fields'));
  const problems: string[] = [];
  for (const { args, exitCode } of lines) {
    if (exitCode !== 0) continue;
    const result = await run([...args, '--fields', 'no_such_field'], 80);
    // Later lines need the setting that a refused command did not make.
    if (result.stderr.includes('--fields: this command prints no data')) await run(args, 80);
    if (result.exitCode === 2 && result.stderr.includes('--fields')) continue;
    problems.push(`shorty ${args.join(' ')}: exit code ${result.exitCode}: ${result.stderr}`);
  }
  expect(problems).toEqual([]);
});

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
