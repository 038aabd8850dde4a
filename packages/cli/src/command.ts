import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from './cli-error.js';
import type { Context } from './context.js';
import type { Formats } from './format-rows.js';
import type { Io } from './io.js';

/** A command: what its help says, and what it does. */
export interface CommandRow {
  readonly summary: string;
  readonly examples: readonly string[];
  /** The arguments: `<id>`, `[link]` or `<id...>`. */
  readonly args?: Readonly<Record<string, string | Details>>;
  readonly options?: OptionRows;
  /** A text below the options. */
  readonly help?: string;
  /** The output formats of a command that has others than most, the default one first. */
  readonly formats?: Formats | ((io: Pick<Io, 'stdout'>) => Formats);
  /** Whether the command can write CSV without `--output csv`. */
  readonly writesCsv?: boolean;
  /** Whether the command prints no data, only messages for people. */
  readonly hasNoData?: boolean;
  /** The fields that a command which changes something prints: a wrong name in `--fields` changes nothing. */
  readonly prints?: readonly string[] | undefined;
  /**
   * Gets the arguments and the options by their names in camel case. Without a code, the command exits
   * with 0, or with 130 after an interruption.
   */
  readonly run: (context: Context, input: never) => Promise<ExitCode | undefined> | Promise<void>;
}

/** Options by their flags: `--limit <count>`. */
export type OptionRows = Readonly<Record<string, string | Details>>;

export type RecordKind =
  | ('link' | 'code' | 'webhook' | 'domain' | 'key' | 'tag')
  | ('organization' | 'client' | 'organizationKey' | 'takedown');

/** An option or an argument that is more than a text. */
export interface Details {
  readonly text: string;
  readonly choices?: readonly string[];
  readonly parse?: (text: string, earlier: never) => unknown;
  /** The kind of record that the value names. */
  readonly record?: RecordKind;
  /** Whether the value is a time: one before now, or the start or the end of something. */
  readonly time?: 'past' | 'start' | 'end';
  /** Whether the value names a file of JSON, or stdin as `-`; a list, if this says what it is of. */
  readonly json?: true | { readonly listOf: string };
  readonly default?: unknown;
  /** The field of the request that the value is, if it is not named like the option. */
  readonly field?: string;
  /** The names of options that exclude it. */
  readonly conflicts?: string | string[];
  readonly isRequired?: boolean;
}

/** Returns an option that can be repeated. */
export function repeatable(text: string): Details {
  return { text: `${text}; repeatable`, parse: collect };
}

/** Collects the values of an option that can be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** Returns the output formats of a command that has its own. */
export function formatsOf({ formats }: CommandRow, io: Pick<Io, 'stdout'>): Formats | undefined {
  return typeof formats === 'function' ? formats(io) : formats;
}

/**
 * The `--output` option. It accepts any value, because the program parses the option before it knows the
 * command. resolveFormat validates the value.
 */
export function formatOption(choices: Formats, text = 'output format'): OptionRows {
  return { '-o, --output <format>': { text, choices, parse: (format) => format } };
}

/** Parses a value from 0. */
export function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Parses a value from 1. */
export function parsePositive(text: string): number {
  const count = parseCount(text);
  if (count > 0) return count;
  throw new InvalidArgumentError('It must be at least 1.');
}

export function toArgument(name: string, row: string | Details): Argument {
  const { text, choices, parse } = typeof row === 'string' ? { text: row } : row;
  const argument = new Argument(name, text);
  if (choices) argument.choices(choices);
  return parse ? argument.argParser(parse as (text: string) => unknown) : argument;
}

export function toOption(flags: string, row: string | Details): Option {
  const details: Details = typeof row === 'string' ? { text: row } : row;
  const option = new Option(flags, details.text + (details.isRequired ? ' (required)' : ''));
  if (details.choices) option.choices(details.choices);
  if (details.parse) option.argParser(details.parse as (text: string) => unknown);
  if (details.default !== undefined) option.default(details.default);
  if (details.conflicts) option.conflicts(details.conflicts);
  return details.isRequired ? option.makeOptionMandatory() : option;
}

/** Returns the words of a command without the program: `urls create`. */
export function pathOf(command: Command): string {
  if (!command.parent) return '';
  const parent = pathOf(command.parent);
  return parent === '' ? command.name() : `${parent} ${command.name()}`;
}

/** Returns the fields that have a value. */
export function defined<T extends object>(
  fields: T,
): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as ReturnType<typeof defined<T>>;
}
