import { type Command, Help, type Option } from 'commander';
import { pathOf } from './command.js';
import { commands } from './command-tree.js';
import { type OutputStream, terminalColumns } from './io.js';

// The texts around the options are written for this width.
const usualWidth = 80;
const widestHelp = 120;

/** Returns the width of the help texts on a stream. */
export function helpWidth(stream: OutputStream): number {
  return stream.isTTY ? Math.min(terminalColumns(stream), widestHelp) : usualWidth;
}

/** How Commander lays out the help of a command. A group lists the names of its commands. */
export const helpLayout = {
  showGlobalOptions: true,
  visibleGlobalOptions,
  formatHelp,
  subcommandTerm: (command: Command) => command.name(),
};

/** Prints the examples between the description and the options. */
function formatHelp(this: Help, command: Command, helper: Help): string {
  const text = Help.prototype.formatHelp.call(this, command, helper);
  const row = commands[pathOf(command)];
  if (!row) return text;
  const lines = row.examples.flatMap((example) => example.split('\n')).map((line) => `  ${line}`);
  const [usage, description, ...more] = text.split('\n\n');
  return [usage, description, `Examples:\n${lines.join('\n')}`, ...more].join('\n\n');
}

// Hides global options that the command defines itself.
function visibleGlobalOptions(this: Help, command: Command): Option[] {
  return Help.prototype.visibleGlobalOptions
    .call(this, command)
    .filter((option) => !command.options.some(({ long }) => long === option.long));
}
