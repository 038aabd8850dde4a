import { readFileSync, writeFileSync } from 'node:fs';
import { describe, leavesOf, loadCommands, pathOf, usageOf } from './load-commands.mjs';

const read = (relative) => readFileSync(new URL(relative, import.meta.url), 'utf8');

/** Writes the man page of the program with all its commands. */
export async function writeManPage(file) {
  const { program, examplesOf } = await loadCommands();
  const { version } = JSON.parse(read('../package.json'));
  const guide = read('../../../docs/cli.md');
  const lines = [
    `.TH SHORTY 1 "" "shorty ${version}" "Shorty"`,
    '.SH NAME',
    `shorty \\- ${toRoff(program.description())}`,
    '.SH SYNOPSIS',
    '.B shorty',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...leavesOf(program).flatMap((command) => commandLines(command, examplesOf(command))),
    '.SH OPTIONS OF EVERY COMMAND',
    ...optionLines(program.options),
    '.SH ENVIRONMENT',
    ...tableLines(guide, 'variable'),
    '.SH EXIT STATUS',
    ...tableLines(guide, 'exit code'),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
}

function commandLines(command, examples) {
  const named = command.registeredArguments.filter(({ description }) => description);
  return [
    `.SS ${toRoff(`${pathOf(command)} ${usageOf(command)}`.trim())}`,
    `${toRoff(command.description())}.`,
    ...named.flatMap((each) => ['.TP', `.I ${toRoff(each.name())}`, meaningOf(each)]),
    ...optionLines(command.options),
    '.PP',
    'Examples:',
    '.PP',
    '.RS 4',
    '.nf',
    ...examples.flatMap((example) => example.split('\n').map(toRoff)),
    '.fi',
    '.RE',
  ];
}

function optionLines(options) {
  return options
    .filter(({ hidden }) => !hidden)
    .flatMap((option) => ['.TP', `.B ${toRoff(option.flags)}`, meaningOf(option)]);
}

function meaningOf(described) {
  return toRoff(describe(described, String));
}

/** Returns the rows of the table of the guide whose first column has this title. */
function tableLines(guide, title) {
  const [, rows] = guide.split(`| ${title} | meaning |\n| --- | --- |\n`);
  if (rows === undefined) throw new Error(`docs/cli.md has no table of ${title}`);
  const lines = rows.slice(0, rows.indexOf('\n\n')).split('\n');
  return lines.flatMap((line) => {
    const [name = '', meaning = ''] = line.replaceAll('`', '').slice(2, -2).split(' | ');
    return ['.TP', `.B ${toRoff(name)}`, toRoff(meaning)];
  });
}

/** Escapes text for roff, in which a dot or quote at the start of a line begins a request. */
function toRoff(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('\n', ' ')
    .replaceAll(/[^ -~]/gu, (char) => `\\[u${char.codePointAt(0).toString(16).toUpperCase()}]`)
    .replace(/^[.']/, '\\&$&');
}
