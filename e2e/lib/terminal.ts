import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { root, tool } from './processes.js';

export interface TerminalOptions {
  /** The command line that the terminal runs. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** A real terminal, in tmux, that a test types into and looks at. */
export class Terminal {
  readonly #server = `shorty-${randomUUID()}`;
  readonly #env: Readonly<Record<string, string>>;

  constructor({ command, cwd, env, columns = 100, rows = 30 }: TerminalOptions) {
    this.#env = env;
    const size = ['-x', String(columns), '-y', String(rows)];
    const history = ['set-option', '-g', 'history-limit', '50000', ';'];
    const session = ['new-session', '-d', '-c', cwd, ...size, command];
    this.#tmux('-f', '/dev/null', 'start-server', ';', ...history, ...session);
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

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Returns the lines of the screen, without spaces at their ends. */
  screen(): string {
    return this.#tmux('capture-pane', '-p').trimEnd();
  }

  /** Returns all lines that were printed. One that the terminal has broken is one line. */
  lines(): string[] {
    const text = this.#tmux('capture-pane', '-p', '-J', '-S', '-');
    return text.split('\n').map((line) => line.trimEnd());
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
