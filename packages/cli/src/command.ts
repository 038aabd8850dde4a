import type { Command } from 'commander';
import type { Context } from './context.js';
import type { ExitCode } from './exit-codes.js';

/** Runs a command's work; an exit code of its own wins over 0. */
export type Start = (work: (context: Context) => Promise<ExitCode | undefined>) => Promise<void>;

/** What a command's module exports: its arguments and options, and what to do with them. */
export type DefineCommand = (command: Command, start: Start) => void;

/** Gathers the values of an option that may be given several times. */
export function gather(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
