// What every bundle of the CLI's sources has in common.
import { fileURLToPath } from 'node:url';

export const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

// Modules that the bundle does not use, by what replaces them.
const replacements = {
  // Ink: tools for development, and a check for CI that the CLI does itself.
  './devtools.js': 'export {};',
  'is-in-ci': 'export default false;',
  // conf: JSON schemas and migrations, which ConfigFile does not use.
  'ajv/dist/2020.js': 'export const Ajv2020 = undefined;',
  'ajv-formats': 'export default undefined;',
  semver: 'export default undefined;',
  // The MCP SDK: questions to users, whose validator uses the modules above, schemas of Zod 3, and Zod's
  // messages in other languages.
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

export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  jsx: 'automatic',
  // The sources, because a build of them may be stale.
  alias: {
    '@shorty/sdk': path('../sdk/src/index.ts'),
    '@shorty/import': path('../import/src/index.ts'),
    '@shorty/report': path('../report/src/index.ts'),
    '@shorty/webhook-verifier': path('../webhook-verifier/src/index.ts'),
  },
  plugins: [replaceModules],
  // CommonJS dependencies load Node's own modules with require.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
};
