import { type Command, Option } from 'commander';
import type { Context } from './context.js';
import type { ExitCode } from './exit-codes.js';

/** Runs a command's work; an exit code of its own wins over 0. */
export type Start = (
  work: (context: Context) => Promise<ExitCode | undefined>,
  options?: StartOptions,
) => Promise<void>;

export interface StartOptions {
  /** The command has formats of its own, and reads `--output` itself. */
  readonly ownsOutput?: boolean;
}

/** What a command's module exports: its arguments and options, and what to do with them. */
export type DefineCommand = (command: Command, start: Start) => void;

/**
 * The option that names a format. Its value is checked when the command is known, by resolveFormat:
 * the program reads it before, and choices differ.
 */
export function formatOption(formats: readonly string[], purpose = 'how to print data'): Option {
  return new Option('-o, --output <format>', purpose)
    .choices(formats)
    .argParser((format: string) => format);
}

/** Gathers the values of an option that may be given several times. */
export function gather(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
