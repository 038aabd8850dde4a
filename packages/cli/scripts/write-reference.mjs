// Writes docs/reference/cli.md, or the named file, from the command tree of the CLI.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadCommands } from './load-commands.mjs';

const guide = new URL('../../../docs/reference/cli.md', import.meta.url);
const [target = fileURLToPath(guide)] = process.argv.slice(2);

const { options, commands } = await loadCommands((value) => `\`${value}\``);
const anchorOf = (path) => `[\`${path}\`](#${path.replaceAll(' ', '-')})`;
const lines = [
  '# CLI reference',
  '',
  'Generated from the command tree by `npm run generate`; do not edit. [The CLI guide](../cli.md) explains the tasks.',
  '',
  '## Options of every command',
  ...table('option', options),
  '',
  'A command that lists `--output` itself has its own formats.',
  '',
  '## Commands',
  '',
  ...row('command', 'what it does'),
  ...row('---', '---'),
  ...commands.flatMap(({ path, summary }) => row(anchorOf(path), summary)),
];
for (const { path, usage, summary, examples, ...command } of commands) {
  lines.push('', `### ${path}`, '', `${summary.replace(/\.$/, '')}.`, '');
  lines.push('```', usage, '```', '', '```sh', ...examples, '```');
  lines.push(...table('argument', command.arguments), ...table('option', command.options));
}
writeFileSync(target, `${lines.join('\n')}\n`);

function table(title, rows) {
  if (rows.length === 0) return [];
  const body = rows.flatMap(({ name, meaning }) => row(`\`${name}\``, meaning));
  return ['', ...row(title, 'meaning'), ...row('---', '---'), ...body];
}

function row(name, text) {
  const cell = text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');
  return [`| ${name} | ${cell} |`];
}
