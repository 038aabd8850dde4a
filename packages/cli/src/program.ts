import { Command } from 'commander';
import { UsageError } from './cli-error.js';
import { type CommandRow, formatOption, formatsOf, toArgument, toOption } from './command.js';
import { commands, groups } from './command-tree.js';
import { outputFormats } from './format-rows.js';
import { type Input, inputName } from './input.js';
import { type Io, terminalColumns } from './io.js';
import { version } from './version.js';

const firstSteps = `
Begin with shorty login, then shorty urls create https://example.com. The help
of each command has examples: shorty urls create --help`;

const globalOptionsLine = '\nOptions of every command, such as --json and --profile: shorty --help';

const globalOptions = {
  ...formatOption(outputFormats),
  '--json': 'same as --output json, with errors as JSON',
  '--fields <names>': { text: 'fields to print, in this order: id,title', parse: parseFields },
  '--jq <expression>': 'filter the JSON with a jq expression',
  '--excel': 'begin CSV with a byte order mark, as Excel expects it',
  '-q, --quiet': 'print data and errors only',
  '--no-color': 'print without colors',
  '--profile <name>': 'stored profile to use',
  '--base-url <url>': 'base URL of the server',
  '--client-id <id>': 'client id to sign in with',
  '--timeout <seconds>': { text: 'time limit of each request (default: 30)', parse: parseSeconds },
};

/** Runs a command with its arguments and options by their names. */
type Run = (row: CommandRow, command: Command, input: Input) => Promise<void>;

/** Builds the Commander program. */
export function buildProgram(io: Pick<Io, 'stdout' | 'stderr'>, run: Run): Command {
  const program = new Command('shorty')
    .description('Create and manage short links, QR codes and webhooks')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    // A group lists the names of its commands.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => terminalColumns(io.stdout),
      getErrHelpWidth: () => terminalColumns(io.stderr),
      // main reports errors.
      outputError: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('afterAll', ({ command }) => (command.parent ? globalOptionsLine : firstSteps));
  for (const [flags, row] of Object.entries(globalOptions)) program.addOption(toOption(flags, row));
  addCommands(program, io, run);
  return program;
}

function parseFields(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new UsageError(`--fields ${text}: must be names separated by commas`, 'such as id,title');
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds > 0 && seconds <= 3_600) return seconds;
  throw new UsageError(`--timeout ${text}: must be a number of seconds above 0, at most 3600`);
}

function addCommands(program: Command, io: Pick<Io, 'stdout'>, run: Run): void {
  for (const [words, row] of Object.entries(commands)) {
    const names = words.split(' ');
    const parent = names.slice(0, -1).reduce((group, name, at) => {
      const known = group.commands.find((each) => each.name() === name);
      const text = groups[names.slice(0, at + 1).join(' ')] ?? '';
      return known ?? group.command(name).description(text);
    }, program);
    const command = parent.command(names.at(-1) ?? '').description(row.summary);
    for (const [each, text] of Object.entries(row.args ?? {})) {
      command.addArgument(toArgument(each, text));
    }
    const formats = formatsOf(row, io);
    const options = {
      ...(formats?.[1] && formatOption(formats, 'output format, by default the first')),
      ...row.options,
    };
    for (const [flags, option] of Object.entries(options)) {
      command.addOption(toOption(flags, option));
    }
    if (row.help !== undefined) command.addHelpText('after', `\n${row.help}`);
    const examples = row.examples.join('\n').replaceAll(/^/gm, '  ');
    command.addHelpText('after', `\nExamples:\n${examples}`);
    command.action(() => {
      const names = Object.keys(row.args ?? {}).map(inputName);
      const values = names.map((name, index) => [name, command.processedArgs[index]]);
      return run(row, command, { ...Object.fromEntries(values), ...command.opts() });
    });
  }
}
