import { Command, Option } from 'commander';
import { UsageError } from './cli-error.js';
import { formatOption, type Start, type StartOptions } from './command.js';
import { groups, leaves } from './command-tree.js';
import { helpLayout, helpWidth } from './help-text.js';
import type { Io } from './io.js';
import { outputFormats } from './output.js';
import { version } from './version.js';

export interface GlobalFlags {
  readonly json?: boolean;
  readonly output?: string;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly fields?: readonly string[];
  readonly columns?: readonly string[];
  /** A jq expression. */
  readonly jq?: string;
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly clientId?: string;
  /** Seconds. */
  readonly timeout?: number;
}

const firstSteps = `
Begin with shorty login, then shorty urls create https://example.com. The help
of each command has examples: shorty urls create --help`;

/** Runs the work of any command. */
type Run = (work: Parameters<Start>[0], options: StartOptions, command: Command) => Promise<void>;

type Program = Command & { opts(): GlobalFlags };

/** Builds the Commander program. */
export function buildProgram(io: Io, run: Run): Program {
  const program = new Command('shorty')
    .description('Create and manage short links, QR codes and webhooks')
    .version(version, '-V, --version', 'print the version')
    .addOption(formatOption(outputFormats))
    .option('--json', 'same as --output json, with errors as JSON')
    .addOption(
      new Option('--fields <names>', 'fields to print, in this order: id,title').argParser(
        parseFields,
      ),
    )
    .addOption(
      new Option('--columns <names>', 'same as --fields').argParser(parseFields).hideHelp(),
    )
    .option('--jq <expression>', 'filter the JSON with a jq expression')
    .option('-q, --quiet', 'print data and errors only')
    .option('--no-color', 'print without colors')
    .option('--profile <name>', 'stored profile to use')
    .option('--base-url <url>', 'base URL of the server')
    .option('--client-id <id>', 'client id to sign in with')
    .addOption(
      new Option('--timeout <seconds>', 'time limit of each request (default: 30)').argParser(
        parseSeconds,
      ),
    )
    .helpOption('-h, --help', 'show help')
    .configureHelp(helpLayout)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => helpWidth(io.stdout),
      getErrHelpWidth: () => helpWidth(io.stderr),
      // main reports errors.
      outputError: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText('after', firstSteps);
  addCommands(program, run);
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

/** Loads every command with its arguments and options, for completion and the reference. */
export async function loadAllCommands(program: Command): Promise<void> {
  // The loaded commands are inspected, not run.
  const neverStart: Start = () => Promise.resolve();
  for (const [words, [, load]] of Object.entries(leaves)) {
    const command = words
      .split(' ')
      .reduce<Command | undefined>(
        (parent, word) => parent?.commands.find((child) => child.name() === word),
        program,
      );
    if (command && !isDefined(command)) (await load()).define(command, neverStart);
  }
}

function isDefined(command: Command): boolean {
  return command.options.length > 0 || command.registeredArguments.length > 0;
}

function addCommands(program: Command, run: Run): void {
  const parents = new Map<string, Command>([['', program]]);
  const groupOf = (words: string): Command => {
    const known = parents.get(words);
    if (known) return known;
    const split = words.lastIndexOf(' ');
    const name = words.slice(split + 1);
    const group = groupOf(words.slice(0, Math.max(0, split))).command(name);
    parents.set(words, group.description(groups[words] ?? ''));
    return group;
  };
  for (const [words, [summary, load]] of Object.entries(leaves)) {
    const split = words.lastIndexOf(' ');
    const parent = groupOf(words.slice(0, Math.max(0, split)));
    const leaf = parent.command(words.slice(split + 1)).description(summary);
    parent.hook('preSubcommand', async (_, command) => {
      if (command !== leaf) return;
      const { define } = await load();
      define(command, (work, options = {}) => run(work, options, command));
    });
  }
}
