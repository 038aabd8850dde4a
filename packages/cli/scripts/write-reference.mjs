// Writes docs/reference/cli.md, or the named file, from the command tree of the CLI.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions, path } from './bundle.mjs';

const [target = path('../../docs/reference/cli.md')] = process.argv.slice(2);

const { buildProgram, commands } = await importSources();
const program = buildProgram({ stdout: process.stdout, stderr: process.stderr }, async () => {});
const leaves = leavesOf(program);
const lines = [
  '# CLI reference',
  '',
  'Generated from the command tree by `npm run generate`; do not edit. [The CLI guide](../cli.md) explains the tasks.',
  '',
  '## Options of every command',
  ...table('option', program.createHelp().visibleOptions(program)),
  '',
  'A command that lists `--output` itself has its own formats.',
  '',
  '## Commands',
  '',
  ...row('command', 'what it does'),
  ...row('---', '---'),
  ...leaves.flatMap((command) => {
    const words = pathOf(command);
    return row(`[\`${words}\`](#${words.replaceAll(' ', '-')})`, command.description());
  }),
];
for (const command of leaves) {
  const words = pathOf(command);
  const { examples } = commands[words.replace('shorty ', '')];
  lines.push('', `### ${words}`, '', `${command.description().replace(/\.$/, '')}.`, '');
  lines.push('```', `${words} ${usageOf(command)}`.trim(), '```', '', '```sh', ...examples, '```');
  const described = command.registeredArguments.filter(({ description }) => description);
  lines.push(...table('argument', described), ...table('option', command.options));
}
writeFileSync(target, `${lines.join('\n')}\n`);

/** Imports the TypeScript modules of the commands through a temporary bundle. */
async function importSources() {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-reference-'));
  const outfile = join(folder, 'bundle.mjs');
  const modules = ['program', 'command-tree'].map((name) => `export * from './src/${name}.ts';`);
  const alias = { ...bundleOptions.alias, 'react-devtools-core': path('scripts/empty-module.mjs') };
  const stdin = { contents: modules.join('\n'), resolveDir: path('.') };
  try {
    await build({ ...bundleOptions, alias, stdin, outfile, logLevel: 'error' });
    return await import(pathToFileURL(outfile));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function leavesOf(command) {
  const children = command.commands.filter((child) => child.name() !== 'help');
  return children.length === 0 ? [command] : children.flatMap(leavesOf);
}

/** Returns the words of a command: `shorty urls create`. */
function pathOf(command) {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Returns what follows the words of a command: `[options] <link>`. */
function usageOf(command) {
  const values = command.registeredArguments.map((each) => {
    const name = each.variadic ? `${each.name()}...` : each.name();
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [...(command.options.length > 0 ? ['[options]'] : []), ...values].join(' ');
}

function table(title, described) {
  const shown = described.filter(({ hidden }) => !hidden);
  if (shown.length === 0) return [];
  const nameOf = (each) => (title === 'option' ? each.flags : each.name());
  const body = shown.flatMap((each) => row(`\`${nameOf(each)}\``, meaningOf(each)));
  return ['', ...row(title, 'meaning'), ...row('---', '---'), ...body];
}

/** The description with the choices and the default that the parser knows. */
function meaningOf({ description, argChoices, defaultValue, mandatory }) {
  const quote = (value) => `\`${value}\``;
  const notes = [];
  if (mandatory) notes.push('required');
  if (argChoices) notes.push(argChoices.map(quote).join(', '));
  const hasDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean';
  if (hasDefault && String(defaultValue) !== '') notes.push(`default ${quote(defaultValue)}`);
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

function row(name, text) {
  const cell = text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');
  return [`| ${name} | ${cell} |`];
}
