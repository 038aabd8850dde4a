// The command tree of the CLI, for the reference and the man pages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

/** Returns the program with the arguments and options of every command, and their examples. */
export async function loadCommands() {
  const { buildProgram } = await importSource('src/program.ts');
  const { commands } = await importSource('src/command-tree.ts');
  const program = buildProgram({ stdout: process.stdout, stderr: process.stderr }, async () => {});
  const examplesOf = (command) => commands[pathOf(command).replace('shorty ', '')]?.examples ?? [];
  return { program, examplesOf };
}

/** Returns every command that is no group. */
export function leavesOf(command) {
  const children = command.commands.filter((child) => child.name() !== 'help');
  return children.length === 0 ? [command] : children.flatMap(leavesOf);
}

/** Returns the words of a command: `shorty urls create`. */
export function pathOf(command) {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Returns what follows the words of a command: `[options] <link>`. */
export function usageOf(command) {
  const values = command.registeredArguments.map((each) => {
    const name = each.variadic ? `${each.name()}...` : each.name();
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [...(command.options.length > 0 ? ['[options]'] : []), ...values].join(' ');
}

/** The description with the choices and the default that the parser knows. */
export function describe({ description, argChoices, defaultValue, mandatory }, quote) {
  const notes = [];
  if (mandatory) notes.push('required');
  if (argChoices) notes.push(argChoices.map(quote).join(', '));
  const hasDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean';
  if (hasDefault && String(defaultValue) !== '') notes.push(`default ${quote(defaultValue)}`);
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

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
