import { type Command, Help } from 'commander';
import { pathOf } from './command.js';
import { commands } from './command-tree.js';
import { type OutputStream, terminalColumns } from './io.js';

const globalOptions = 'Options of every command, such as --json and --fields: shorty --help';

// The texts around the options are written for this width.
const usualWidth = 80;
const widestHelp = 120;

/** Returns the width of the help texts on a stream. */
export function helpWidth(stream: OutputStream): number {
  return stream.isTTY ? Math.min(terminalColumns(stream), widestHelp) : usualWidth;
}

/** How Commander lays out the help of a command. A group lists the names of its commands. */
export const helpLayout = {
  formatHelp,
  subcommandTerm: (command: Command) => command.name(),
};

/** Prints the examples between the description and the options, and names the global ones in one line. */
function formatHelp(this: Help, command: Command, helper: Help): string {
  const text = Help.prototype.formatHelp.call(this, command, helper);
  const row = commands[pathOf(command)];
  const more = command.parent ? `${text}\n${globalOptions}\n` : text;
  if (!row) return more;
  const lines = row.examples.flatMap((example) => example.split('\n')).map((line) => `  ${line}`);
  const [usage, description, ...rest] = more.split('\n\n');
  return [usage, description, `Examples:\n${lines.join('\n')}`, ...rest].join('\n\n');
}
