// Bundles the CLI with its dependencies into dist, or into the folder named on the command line. The
// published package then has no dependencies.
import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { bundleOptions, path } from './bundle.mjs';

const [folder = path('dist')] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });

// Modules that the bundle does not use, by what replaces them.
const replacements = {
  // Ink: tools for development, and a check for CI that the CLI does itself.
  './devtools.js': 'export {};',
  'is-in-ci': 'export default false;',
  // conf: JSON schemas and migrations, which ConfigFile does not use.
  'ajv/dist/2020.js': 'export const Ajv2020 = undefined;',
  'ajv-formats': 'export default undefined;',
  semver: 'export default undefined;',
  // The MCP SDK: questions to users, schemas of Zod 3, and Zod's messages in other languages.
  '../validation/ajv-provider.js': 'export class AjvJsonSchemaValidator {}',
  'zod-to-json-schema': 'export const zodToJsonSchema = undefined;',
  'zod/v3': 'export const object = undefined;',
  '../locales/index.js': 'export {};',
  // conf: deletes temporary files after a signal, and then sends the signal to this process again.
  // The second SIGINT would end an import that is stopping after the first.
  'when-exit': 'export default () => {};',
};

const replaceModules = {
  name: 'replace-modules',
  setup(plugin) {
    plugin.onResolve({ filter: /.*/ }, ({ path: name }) =>
      Object.hasOwn(replacements, name) ? { path: name, namespace: 'replacement' } : undefined,
    );
    plugin.onLoad({ filter: /.*/, namespace: 'replacement' }, ({ path: name }) => ({
      contents: replacements[name],
    }));
  },
};

const { metafile } = await build({
  ...bundleOptions,
  entryPoints: [path('src/bin.ts')],
  outdir: folder,
  metafile: true,
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true, // Names stay, so that stack traces can be read.
  chunkNames: 'chunks/[name]-[hash]',
  legalComments: 'linked',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [replaceModules],
  logLevel: 'warning',
});

// Not published: scripts/sbom.mjs reads which packages the bundle contains.
writeFileSync(`${folder}/metafile.json`, JSON.stringify(metafile));
