import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { root, tool } from './processes.js';

interface TerminalOptions {
  /** The command line that the terminal runs. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A real terminal, in tmux, that a test types into and looks at. */
export class Terminal {
  readonly #server = `shorty-${randomUUID()}`;
  readonly #env: Readonly<Record<string, string>>;

  constructor({ command, cwd, env }: TerminalOptions) {
    this.#env = env;
    const session = ['new-session', '-d', '-c', cwd, '-x', '100', '-y', '30', command];
    this.#tmux('-f', '/dev/null', ...session);
    onTestFinished(() => void this.#tmux('kill-server'));
  }

  /** Types a text. */
  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** Presses a key, such as `Tab`, `Enter` or `C-z`. */
  press(key: string): void {
    this.#tmux('send-keys', key);
  }

  /** Returns the lines of the screen, without spaces at their ends. */
  screen(): string {
    return this.#tmux('capture-pane', '-p').trimEnd();
  }

  /** Resolves when the screen matches the pattern. The limit of the test bounds all waits together. */
  async untilShows(pattern: RegExp): Promise<string> {
    await expect
      .poll(() => this.screen(), { timeout: 300_000, message: `the screen shows ${pattern}` })
      .toMatch(pattern);
    return this.screen();
  }

  #tmux(...args: string[]): string {
    return execFileSync(tool('tmux'), ['-L', this.#server, ...args], {
      encoding: 'utf8',
      env: { ...this.#env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' },
    });
  }
}

/** Creates a command `shorty` in `folder`. Returns the PATH that contains it. */
export function installShorty(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const binary = join(root, 'packages/cli/bin/shorty.js');
  const script = `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`;
  writeFileSync(join(bin, 'shorty'), script, { mode: 0o755 });
  return `${bin}:${process.env.PATH}`;
}
