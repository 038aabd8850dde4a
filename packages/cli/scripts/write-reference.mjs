// Writes docs/reference/cli.md, or the named file, from the command tree of the CLI.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const [target = path('../../docs/reference/cli.md')] = process.argv.slice(2);

const { buildProgram, loadAllCommands } = await importSource('src/command-tree.ts');
const { commandExamples } = await importSource('src/command-examples.ts');
const program = buildProgram({ stdout: process.stdout, stderr: process.stderr }, async () => {});
await loadAllCommands(program);
writeFileSync(target, render(program));

/** Imports a TypeScript module of the CLI through a temporary bundle. */
async function importSource(source) {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-reference-'));
  const bundle = join(folder, 'bundle.mjs');
  try {
    await build({
      entryPoints: [path(source)],
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      jsx: 'automatic',
      alias: {
        '@shorty/sdk': path('../sdk/src/index.ts'),
        '@shorty/webhook-verifier': path('../webhook-verifier/src/index.ts'),
        'react-devtools-core': path('scripts/empty-module.mjs'),
      },
      banner: {
        js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
      },
      logLevel: 'error',
    });
    return await import(pathToFileURL(bundle));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
    const examples = commandExamples[pathOf(command).replace('shorty ', '')] ?? [];
    lines.push('', '```sh', ...examples, '```');
    const named = command.registeredArguments.filter(({ description }) => description);
    if (named.length > 0) {
      const rows = named.map((each) => [
        `\`${each.name()}\``,
        cell(describe(each.description, each)),
      ]);
      lines.push('', ...table(['argument', 'meaning'], rows));
    }
    const options = command.options.filter(({ hidden }) => !hidden);
    if (options.length > 0) lines.push('', ...optionTable(options));
  }
  return `${lines.join('\n')}\n`;
}

function leavesOf(command) {
  const children = command.commands.filter((child) => child.name() !== 'help');
  return children.length === 0 ? [command] : children.flatMap(leavesOf);
}

function pathOf(command) {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function usageOf(command) {
  const values = command.registeredArguments.map((each) => {
    const name = each.variadic ? `${each.name()}...` : each.name();
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [...(command.options.length > 0 ? ['[options]'] : []), ...values].join(' ');
}

function isHelp({ long }) {
  return long === '--help';
}

function optionTable(options) {
  return table(
    ['option', 'meaning'],
    options.map((option) => [`\`${option.flags}\``, cell(describe(option.description, option))]),
  );
}

/** The description with the choices and the default that the parser knows. */
function describe(description, { argChoices, defaultValue, mandatory }) {
  const notes = [];
  if (mandatory) notes.push('required');
  if (argChoices) notes.push(argChoices.map((choice) => `\`${choice}\``).join(', '));
  const hasDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean';
  if (hasDefault && String(defaultValue) !== '') notes.push(`default \`${defaultValue}\``);
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
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
