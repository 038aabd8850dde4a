// Writes docs/reference/cli.md, or the named file, from the help of the commands.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions, path } from './bundle.mjs';

const [target = path('../../docs/reference/cli.md')] = process.argv.slice(2);

const { buildProgram, commands } = await importSources();
let printed = '';
const stdout = {
  write: (text) => {
    printed += text;
  },
};
const program = buildProgram({ stdout, stderr: process.stderr }, async () => {});
const introduction = `# CLI reference

Generated from the help of the commands by \`npm run generate\`; do not edit. [The CLI guide](../cli.md) explains the tasks.

## Options of every command
`;
const sections = [
  `${introduction}\n${helpOf(program)}\n## Commands\n`,
  ...Object.keys(commands).map((words) => `### shorty ${words}\n\n${helpOf(find(words))}`),
];
writeFileSync(target, sections.join('\n'));

/** Imports the TypeScript modules of the commands through a temporary bundle. */
async function importSources() {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-reference-'));
  const outfile = join(folder, 'bundle.mjs');
  const modules = ['program', 'command-tree'].map((name) => `export * from './src/${name}.ts';`);
  const stdin = { contents: modules.join('\n'), resolveDir: path('.') };
  try {
    await build({ ...bundleOptions, stdin, outfile, logLevel: 'error' });
    return await import(pathToFileURL(outfile));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function find(words) {
  return words
    .split(' ')
    .reduce((group, word) => group.commands.find((each) => each.name() === word), program);
}

function helpOf(command) {
  printed = '';
  command.outputHelp();
  return `\`\`\`\n${printed.trimEnd()}\n\`\`\`\n`;
}
