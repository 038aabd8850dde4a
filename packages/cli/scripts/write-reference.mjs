// Writes docs/reference/cli.md, or the named file, from the command tree of the CLI.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, leavesOf, loadCommands, pathOf, usageOf } from './load-commands.mjs';

const guide = new URL('../../../docs/reference/cli.md', import.meta.url);
const [target = fileURLToPath(guide)] = process.argv.slice(2);

const { program, examplesOf } = await loadCommands();
writeFileSync(target, render(program));

function render(root) {
  const help = root.createHelp();
  const leaves = leavesOf(root);
  const lines = [
    '# CLI reference',
    '',
    'Generated from the command tree by `npm run generate`; do not edit. [The CLI guide](../cli.md) explains the tasks.',
    '',
    '## Options of every command',
    '',
    ...optionTable(root.options.concat(help.visibleOptions(root).filter(isHelp))),
    '',
    'A command that lists `--output` itself has its own formats.',
    '',
    '## Commands',
    '',
    ...table(
      ['command', 'what it does'],
      leaves.map((command) => [
        `[\`${pathOf(command)}\`](#${pathOf(command).replaceAll(' ', '-')})`,
        cell(command.description()),
      ]),
    ),
  ];
  for (const command of leaves) {
    lines.push('', `### ${pathOf(command)}`, '', sentence(command.description()), '');
    lines.push('```', `${pathOf(command)} ${usageOf(command)}`, '```');
    lines.push('', '```sh', ...examplesOf(command), '```');
    const named = command.registeredArguments.filter(({ description }) => description);
    if (named.length > 0) {
      const rows = named.map((each) => [`\`${each.name()}\``, cell(markChoices(each))]);
      lines.push('', ...table(['argument', 'meaning'], rows));
    }
    const options = command.options.filter(({ hidden }) => !hidden);
    if (options.length > 0) lines.push('', ...optionTable(options));
  }
  return `${lines.join('\n')}\n`;
}

function isHelp({ long }) {
  return long === '--help';
}

function optionTable(options) {
  return table(
    ['option', 'meaning'],
    options.map((option) => [`\`${option.flags}\``, cell(markChoices(option))]),
  );
}

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');
}

function sentence(text) {
  return `${text.replace(/\.$/, '')}.`;
}

function markChoices(described) {
  return describe(described, (value) => `\`${value}\``);
}
