import { type Command, Help, type Option } from 'commander';
import { pathOf } from './command.js';
import { commandExamples } from './command-examples.js';
import { lineWidth, type OutputStream } from './io.js';
import { fillParagraphs, wrapPieces, wrapText } from './text-width.js';

// The help texts are written for this width.
const usualWidth = 80;
const widestHelp = 120;

/** Returns the width of the help texts on a stream. */
export function helpWidth(stream: OutputStream): number {
  return stream.isTTY ? Math.min(lineWidth(stream), widestHelp) : usualWidth;
}

/** How Commander lays out the help of a command. */
export const helpLayout = { showGlobalOptions: true, visibleGlobalOptions, formatHelp, formatItem };

/** Breaks the lines of a help text that are too wide, and fills paragraphs again. */
export function fitHelp(text: string, width: number): string {
  return width < usualWidth ? wrapText(fillParagraphs(text), width) : text;
}

/** Prints the examples between the description and the options. */
function formatHelp(this: Help, command: Command, helper: Help): string {
  const text = Help.prototype.formatHelp.call(this, command, helper);
  const examples = commandExamples[pathOf(command)];
  if (!examples) return text;
  const width = (helper.helpWidth ?? usualWidth) - 2;
  const lines = examples
    .flatMap((example) => fitCommand(example, width))
    .map((line) => `  ${line}\n`);
  const [usage, description, ...more] = text.split('\n\n');
  return [usage, description, `Examples:\n${lines.join('').trimEnd()}`, ...more].join('\n\n');
}

/** On a narrow terminal, prints the description of an option below it. */
function formatItem(
  this: Help,
  term: string,
  termWidth: number,
  description: string,
  helper: Help,
): string {
  const width = helper.helpWidth ?? usualWidth;
  if (width >= usualWidth || description === '') {
    return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
  }
  return wrapText(`  ${term}\n      ${description}`, width);
}

/** Breaks an example so that the shell still reads one command. */
function fitCommand(example: string, width: number): string[] {
  const lines = example.split('\n');
  if (lines.every((line) => line.length <= width)) return lines;
  // Quoted arguments stay whole.
  const words = example.replaceAll(/\\\n */g, '').match(/(?:'[^']*'|"[^"]*"|[^ ])+ */g) ?? [];
  const broken = wrapPieces(words, width - 4);
  return broken.map((line, index) => {
    const indentation = index === 0 ? '' : '  ';
    return `${indentation}${line}${index < broken.length - 1 ? ' \\' : ''}`;
  });
}

// Hides global options that the command defines itself.
function visibleGlobalOptions(this: Help, command: Command): Option[] {
  return Help.prototype.visibleGlobalOptions
    .call(this, command)
    .filter((option) => !command.options.some(({ long }) => long === option.long));
}
