import { AuthenticationError } from '@shorty/sdk';
import { type Command, CommanderError } from 'commander';
import { type ExitCode, exitCodes, UsageError } from './cli-error.js';
import { type CommandRow, formatsOf, pathOf } from './command.js';
import { commands, groups } from './command-tree.js';
import { type Context, createContext } from './context.js';
import { outputFormats, unknownField } from './format-rows.js';
import { readInput } from './input.js';
import type { Io } from './io.js';
import { allowsColor, resolveFormat } from './output.js';
import { buildProgram } from './program.js';
import { reportError } from './report-error.js';
import { type GlobalFlags, replaceCredentials } from './settings.js';

/**
 * Runs one command line and returns its exit code. `argv` excludes the names of node and the
 * script. Never throws and never ends the process.
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  let context: Context | undefined;
  const program = buildProgram(io, async (row, command, input) => {
    context = await prepare(row, command, program, io);
    const values = await readInput(row, input, context);
    const code = await row.run(context, values as never);
    exitCode = code ?? (io.interrupt.aborted ? exitCodes.interrupted : exitCodes.done);
  });
  try {
    await program.parseAsync(expand(argv), { from: 'user' });
    return exitCode;
  } catch (error) {
    // When parsing fails, Commander has not read the flags after the error.
    const { json, output } = program.opts();
    const asJson = json === true || output === 'json' || argv.includes('--json');
    if (error instanceof AuthenticationError && context) {
      return reportError(error, io, asJson, replaceCredentials(await context.settings()));
    }
    if (!(error instanceof CommanderError)) return reportError(error, io, asJson);
    if (error.exitCode === 0) return exitCodes.done;
    // Commander has already printed the help.
    if (error.code === 'commander.help') return exitCodes.usage;
    return reportError(toUsageError(error, helpOf(program, argv)), io, asJson);
  }
}

/** Checks the options of every command, and returns what the command works with. */
async function prepare(row: CommandRow, command: Command, program: Command, io: Io) {
  const { hasNoData = false, writesCsv = false, prints } = row;
  const flags: GlobalFlags = program.opts();
  const { fields, jq } = flags;
  if (hasNoData && fields) throw new UsageError('--fields: this command prints no data');
  const formats = formatsOf(row, io);
  if (formats && fields) throw new UsageError('--fields: this command has its own formats');
  if (jq !== undefined && hasNoData) throw new UsageError('--jq: this command prints no data');
  // --jq filters JSON.
  const asked = jq === undefined ? flags : { ...flags, json: true };
  const known = formats ?? outputFormats;
  const format = resolveFormat(asked, known);
  if (flags.excel && format !== 'csv' && !(writesCsv && format === known[0])) {
    throw new UsageError('--excel: this output is not CSV', 'add --output csv');
  }
  // A command that changes something checks the fields before, because an error after the change would make
  // users repeat it. Other commands check the fields of what they have read.
  const checked = command.opts().dryRun ? undefined : prints;
  const unknown = checked && fields?.find((field) => !checked.includes(field));
  if (checked && unknown !== undefined) throw unknownField(unknown, checked);
  return createContext(io, flags, program, {
    format,
    isQuiet: flags.quiet === true,
    isForExcel: flags.excel,
    allowsColor: allowsColor(flags, io.env),
    fields,
    jq: jq === undefined ? undefined : (await import('./jq.js')).compileJq(jq),
  });
}

/** Rewrites `https://example.com` as `shorten https://example.com`, and `urls help create` with `--help`. */
function expand(argv: readonly string[]): readonly string[] {
  if (/^https?:\/\//i.test(argv[0] ?? '')) return ['shorten', ...argv];
  const at = argv.indexOf('help');
  const isHelp = at === 0 || (at > 0 && Object.hasOwn(groups, argv.slice(0, at).join(' ')));
  // Commander's `help` takes one word.
  return isHelp ? [...argv.slice(0, at), ...argv.slice(at + 1), '--help'] : argv;
}

/** What people call commands elsewhere, and what they are here. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  ...{ rm: ['delete', 'revoke'], remove: ['delete', 'revoke'], del: ['delete', 'revoke'] },
  ...{ edit: ['update', 'rename'], change: ['update', 'rename'], set: ['update', 'rename'] },
  ...{ ls: ['list'], links: ['list'], link: ['get'] },
  ...{ search: ['list --search TEXT', 'list'], find: ['list --search TEXT', 'list'] },
  ...{ show: ['get'], info: ['get'], view: ['get'], add: ['create'], new: ['create'] },
  ...{ stats: ['clicks', 'scans', 'overview'], unpause: ['resume'], undelete: ['restore'] },
  ...{ pause: ['update --paused'], resume: ['update --no-paused'] },
  ...{ inactive: ['pause', 'update --paused'], disable: ['pause', 'update --paused'] },
  ...{ active: ['resume', 'update --no-paused'], enable: ['resume', 'update --no-paused'] },
};

/** Returns the command that a word stands for that is none in its group, if it is known. */
function commandFor(word: string, group: string): string | undefined {
  const names = [word, ...(Object.hasOwn(synonyms, word) ? (synonyms[word] ?? []) : [])];
  for (const parent of group === '' ? ['analytics', 'urls'] : [group]) {
    const found = names.find((name) => {
      const [command, option] = name.split(' ');
      const row = commands[`${parent} ${command}`];
      const options = Object.keys(row?.options ?? {}).map((flags) => flags.split(' ', 1)[0]);
      return row && (option === undefined || options.includes(option));
    });
    if (found !== undefined) return `shorty ${parent} ${found}`;
  }
  const isOfOperator = group === '' && commands[`admin ${word} list`] !== undefined;
  return isOfOperator ? `shorty admin ${word}` : undefined;
}

function toUsageError({ message }: CommanderError, help: string): UsageError {
  const [text = '', suggestion] = message
    .replace(/^error: /, '')
    .replace(/^command-argument value ('.*') is invalid for/, 'value $1 is invalid for')
    .split('\n');
  const path = help.replace(/^shorty ?| ?--help$/g, '');
  const [, kind, word = ''] = /^unknown (command|option) '-*(.*)'$/.exec(text) ?? [];
  // An option can be a command of the same group: urls update --pause.
  const group = kind === 'option' ? path.replace(/ ?\S+$/, '') : path;
  const command = kind === 'option' && group === '' ? undefined : commandFor(word, group);
  const options = kind === 'option' ? Object.keys(commands[path]?.options ?? {}) : [];
  // Commander compares lengths, and would take --tag for --target.
  const [option] = options.find((name) => name.startsWith(`--${word}-`))?.split(' ') ?? [];
  const near = command ?? option;
  if (near !== undefined) return new UsageError(text, `did you mean ${near}?`);
  return new UsageError(text, suggestion?.replace(/^\(D(.*)\)$/, 'd$1') ?? `see ${help}`);
}

/** Returns the command line that prints the help of the command in `argv`. */
function helpOf(program: Command, argv: readonly string[]): string {
  const enter = (command: Command, word: string) =>
    command.commands.find((child) => child.name() === word) ?? command;
  return ['shorty', pathOf(argv.reduce(enter, program)), '--help'].filter(Boolean).join(' ');
}
