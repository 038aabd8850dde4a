import { type Command, CommanderError } from 'commander';
import { UsageError } from './cli-error.js';
import { pathOf } from './command.js';
import { createContext } from './context.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import type { Io } from './io.js';
import { allowsColor, outputFormats, resolveFormat } from './output.js';
import { buildProgram, type GlobalFlags, loadAllCommands } from './program.js';
import { reportError } from './report-error.js';

/**
 * Runs one command line and returns its exit code. `argv` excludes the names of node and the
 * script. Never throws and never ends the process.
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = buildProgram(io, async (work, options, command) => {
    const { ownsOutput = false, hasNoData = false } = options;
    const flags = program.opts();
    const fields = flags.fields ?? flags.columns;
    if (hasNoData && fields) throw new UsageError('--fields: this command prints no data');
    if (ownsOutput && fields) throw new UsageError('--fields: this command has its own formats');
    const { jq } = flags;
    if (jq !== undefined && hasNoData) throw new UsageError('--jq: this command prints no data');
    const format = ownsOutput
      ? 'table'
      : resolveFormat({ ...flags, json: isJson(flags) }, outputFormats);
    if (fields) {
      const { checkFields } = await import('./check-fields.js');
      checkFields(fields, command, format);
    }
    const commands = { program, loadCommands: () => loadAllCommands(program) };
    const context = createContext(io, flags, commands, {
      format,
      isQuiet: flags.quiet === true,
      allowsColor: allowsColor(flags, io.env),
      fields,
      jq: jq === undefined ? undefined : (await import('./jq.js')).compileJq(jq),
    });
    exitCode = (await work(context)) ?? exitCodes.done;
  });
  try {
    await program.parseAsync(expandHelp(program, expandUrl(argv)), { from: 'user' });
    return exitCode;
  } catch (error) {
    const asJson = wantsJson(program.opts(), argv);
    if (!(error instanceof CommanderError)) return reportError(error, io, asJson);
    if (error.exitCode === 0) return exitCodes.done;
    // Commander has already printed the help.
    if (error.code === 'commander.help') return exitCodes.usage;
    return reportError(toUsageError(error, helpOf(program, argv)), io, asJson);
  }
}

/** `--jq` filters JSON. */
function isJson({ json, jq }: GlobalFlags): boolean | undefined {
  return jq === undefined ? json : true;
}

/** Rewrites `shorty https://example.com` as `shorty shorten https://example.com`. */
function expandUrl(argv: readonly string[]): readonly string[] {
  const [first = ''] = argv;
  return /^https?:\/\//i.test(first) ? ['shorten', ...argv] : argv;
}

/**
 * Rewrites `urls help create` as `urls create --help`. The arguments and options of a command are
 * defined when it is parsed, which Commander's `help` does not do.
 */
function expandHelp(program: Command, argv: readonly string[]): readonly string[] {
  let command: Command | undefined = program;
  for (const [at, word] of argv.entries()) {
    if (word === 'help' && command.commands.length > 0) {
      return [...argv.slice(0, at), ...argv.slice(at + 1), '--help'];
    }
    command = command.commands.find((child) => child.name() === word);
    if (!command) break;
  }
  return argv;
}

// When parsing fails, Commander has not read the flags after the error.
function wantsJson(flags: GlobalFlags, argv: readonly string[]): boolean {
  return flags.json === true || flags.output === 'json' || argv.includes('--json');
}

function toUsageError({ message }: CommanderError, help: string): UsageError {
  const [text = '', suggestion] = message
    .replace(/^error: /, '')
    .replace(/^command-argument value ('.*') is invalid for/, 'value $1 is invalid for')
    .split('\n');
  return new UsageError(text, suggestion?.replace(/^\((.*)\)$/, '$1') ?? `see ${help}`);
}

/** Returns the command line that prints the help of the command in `argv`. */
function helpOf(program: Command, argv: readonly string[]): string {
  let command = program;
  for (const word of argv) {
    command = command.commands.find((child) => child.name() === word) ?? command;
  }
  return ['shorty', pathOf(command), '--help'].filter((part) => part !== '').join(' ');
}
