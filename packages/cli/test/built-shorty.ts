import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { build } from '../../../scripts/bootstrap.mjs';
import { main } from '../src/main.js';
import { fakeIo } from './fake-io.js';

const binary = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The content of stdin, empty by default. */
  readonly input?: string | Buffer;
}

/** How a command runs in this process. */
export interface RunHere extends RunOptions {
  readonly fetch?: typeof globalThis.fetch;
  /** Aborted instead of a signal to the process. */
  readonly interrupt?: AbortSignal;
  readonly now?: () => number;
  readonly isTerminal?: boolean;
}

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  /** The output so far. */
  readonly printed: { stdout: string; stderr: string };
  readonly result: Promise<RunResult>;
}

/** Checks how a command has ended, and what it has said on stderr. */
export function expectEnd(result: RunResult, code: number, message: string): void {
  const expected = { code, stderr: expect.stringContaining(message) };
  expect({ code: result.code, stderr: result.stderr }).toEqual(expected);
}

/** The records of an output as ndjson. */
export function recordsOf(ndjson: string) {
  return ndjson.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

const never = new AbortController().signal;
let commands = 0;
let folderBefore = '';

/**
 * Runs commands with a separate home folder: in this process, or with `start` in one of its own. The
 * latter takes the built CLI, and ten times as long.
 */
export class BuiltShorty {
  /** The working directory and home folder of commands. */
  readonly folder: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#env = env;
  }

  static async build(env: Readonly<Record<string, string>> = {}): Promise<BuiltShorty> {
    return new BuiltShorty(await mkdtemp(join(tmpdir(), 'shorty-cli-')), env);
  }

  /** The path of the built CLI. Builds it first if its sources have changed. */
  get binary(): string {
    build();
    return binary;
  }

  /** The same build with other environment: an empty home, and what `env` sets. */
  async withHome(env: Readonly<Record<string, string>>): Promise<BuiltShorty> {
    const folder = await mkdtemp(join(this.folder, 'home-'));
    return new BuiltShorty(folder, env);
  }

  /** Runs a command in this process. In a text, blanks separate its arguments. */
  async run(
    args: string | readonly string[],
    { env = {}, input = '', ...given }: RunHere = {},
  ): Promise<RunResult> {
    const io = fakeIo({
      ...{ fetch, interrupt: never, now: Date.now, platform: process.platform },
      ...given,
      env: { HOME: this.folder, ...this.#env, ...env },
      homeDirectory: this.folder,
    });
    io.stdin.end(input);
    if (commands === 0) folderBefore = process.cwd();
    commands++;
    // Arguments name files relative to the working directory.
    process.chdir(this.folder);
    try {
      const code = await main(typeof args === 'string' ? args.split(' ') : args, io);
      await Promise.all([io.stdout, io.stderr].map((stream) => finished(stream.end())));
      return { code, ...io.text };
    } finally {
      commands--;
      if (commands === 0) process.chdir(folderBefore);
    }
  }

  /** Runs a command that must end with this code, and say this on stderr. */
  async exits(
    code: number,
    message: string,
    args: string | readonly string[],
    options?: RunHere,
  ): Promise<RunResult> {
    const result = await this.run(args, options);
    expectEnd(result, code, message);
    return result;
  }

  /** Runs a command that must succeed, and returns the record that it prints. */
  async json(args: readonly string[], options?: RunHere) {
    const { code, stdout, stderr } = await this.run([...args, '--json'], options);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  /** Starts the built CLI. Builds it first if its sources have changed. */
  start(args: readonly string[], { env = {}, input = '' }: RunOptions = {}): Running {
    const child = spawn(process.execPath, [this.binary, ...args], {
      cwd: this.folder,
      env: { PATH: process.env.PATH ?? '', HOME: this.folder, ...this.#env, ...env },
    });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    }
    // A command that does not read stdin may exit before the write.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const result = new Promise<RunResult>((resolve, reject) => {
      child.on('error', reject).on('close', (code) => resolve({ code, ...printed }));
    });
    return { process: child, printed, result };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Buffer): Promise<void> {
    return writeFile(this.path(name), content);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** Permission bits, such as `600`. */
  async mode(name: string): Promise<string> {
    return ((await stat(this.path(name))).mode & 0o777).toString(8);
  }

  files(name: string): Promise<string[]> {
    return readdir(this.path(name));
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
