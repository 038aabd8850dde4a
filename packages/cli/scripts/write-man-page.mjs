import { readFileSync, writeFileSync } from 'node:fs';
import { loadCommands } from './load-commands.mjs';

const read = (relative) => readFileSync(new URL(relative, import.meta.url), 'utf8');

/** Writes the man page of the program with all its commands. */
export async function writeManPage(file) {
  const { summary, options, commands } = await loadCommands(String);
  const { version } = JSON.parse(read('../package.json'));
  const guide = read('../../../docs/cli.md');
  const lines = [
    `.TH SHORTY 1 "" "shorty ${version}" "Shorty"`,
    '.SH NAME',
    `shorty \\- ${toRoff(summary)}`,
    ...['.SH SYNOPSIS', '.B shorty', '.I command', '[options]'],
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH OPTIONS OF EVERY COMMAND',
    ...rowLines('.B', options),
    '.SH ENVIRONMENT',
    ...tableLines(guide, 'variable'),
    '.SH EXIT STATUS',
    ...tableLines(guide, 'exit code'),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
}

function commandLines({ usage, summary, examples, ...command }) {
  return [
    `.SS ${toRoff(usage)}`,
    `${toRoff(summary)}.`,
    ...rowLines('.I', command.arguments),
    ...rowLines('.B', command.options),
    ...['.PP', 'Examples:', '.PP', '.RS 4', '.nf'],
    ...examples.flatMap((example) => example.split('\n').map(toRoff)),
    ...['.fi', '.RE'],
  ];
}

function rowLines(font, rows) {
  return rows.flatMap(({ name, meaning }) => ['.TP', `${font} ${toRoff(name)}`, toRoff(meaning)]);
}

/** Returns the rows of the table of the guide whose first column has this title. */
function tableLines(guide, title) {
  const [, rows] = guide.split(`| ${title} | meaning |\n| --- | --- |\n`);
  if (rows === undefined) throw new Error(`docs/cli.md has no table of ${title}`);
  const lines = rows.slice(0, rows.indexOf('\n\n')).split('\n');
  const cells = lines.map((line) => line.replaceAll('`', '').slice(2, -2).split(' | '));
  return rowLines(
    '.B',
    cells.map(([name, meaning = '']) => ({ name, meaning })),
  );
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
