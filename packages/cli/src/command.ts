import { type Command, Option } from 'commander';
import type { Context } from './context.js';
import type { ExitCode } from './exit-codes.js';

/** Runs the work of a command. The command exits with 0 unless `work` returns another code. */
export type Start = (
  work: (context: Context) => Promise<ExitCode | undefined>,
  options?: StartOptions,
) => Promise<void>;

export interface StartOptions {
  /** True when the command defines its own output formats and reads `--output` itself. */
  readonly ownsOutput?: boolean;
  /** True when the command prints no data, only messages for people. */
  readonly hasNoData?: boolean;
}

/** Adds the arguments, the options and the action of a command. Each command module exports one. */
export type DefineCommand = (command: Command, start: Start) => void;

/**
 * The `--output` option. It accepts any value, because the formats differ between commands and the
 * program parses the option before it knows the command. resolveFormat validates the value.
 */
export function formatOption(formats: readonly string[], purpose = 'output format'): Option {
  return new Option('-o, --output <format>', purpose)
    .choices(formats)
    .argParser((format: string) => format);
}

/** Collects the values of an option that can be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** Returns the words of a command without the program: `urls create`. */
export function pathOf(command: Command): string {
  if (!command.parent) return '';
  const parent = pathOf(command.parent);
  return parent === '' ? command.name() : `${parent} ${command.name()}`;
}
