// The commands of the CLI, for the reference and the man page.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

/**
 * Returns what the program does, the options of every command, and the commands that are no group with
 * their arguments, options and examples. `quote` marks values in texts.
 */
export async function loadCommands(quote) {
  const { buildProgram, commands } = await importSources();
  const program = buildProgram({ stdout: process.stdout, stderr: process.stderr }, async () => {});
  const rowsOf = (described, nameOf) =>
    described.map((each) => ({ name: nameOf(each), meaning: meaningOf(each, quote) }));
  const optionsOf = (options) =>
    rowsOf(
      options.filter(({ hidden }) => !hidden),
      ({ flags }) => flags,
    );
  const describe = (command) => ({
    path: pathOf(command),
    usage: `${pathOf(command)} ${usageOf(command)}`.trim(),
    summary: command.description(),
    examples: commands[pathOf(command).replace('shorty ', '')]?.examples ?? [],
    arguments: rowsOf(
      command.registeredArguments.filter(({ description }) => description),
      (each) => each.name(),
    ),
    options: optionsOf(command.options),
  });
  return {
    summary: program.description(),
    options: optionsOf(program.createHelp().visibleOptions(program)),
    commands: leavesOf(program).map(describe),
  };
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

/** The description with the choices and the default that the parser knows. */
function meaningOf({ description, argChoices, defaultValue, mandatory }, quote) {
  const notes = [];
  if (mandatory) notes.push('required');
  if (argChoices) notes.push(argChoices.map(quote).join(', '));
  const hasDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean';
  if (hasDefault && String(defaultValue) !== '') notes.push(`default ${quote(defaultValue)}`);
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

/** Imports the TypeScript modules of the commands through a temporary bundle. */
async function importSources() {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-reference-'));
  const bundle = join(folder, 'bundle.mjs');
  const modules = ['program', 'command-tree'].map((name) => `export * from './src/${name}.ts';`);
  try {
    await build({
      stdin: { contents: modules.join('\n'), resolveDir: path('.') },
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      jsx: 'automatic',
      alias: {
        '@shorty/sdk': path('../sdk/src/index.ts'),
        '@shorty/import': path('../import/src/index.ts'),
        '@shorty/report': path('../report/src/index.ts'),
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
