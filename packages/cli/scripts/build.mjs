// Bundles the command with everything it needs, so that the published package has no dependencies.
// The result goes to dist, or to the folder that is named.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

const [folder = path('dist')] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });

// What Ink asks for, and what it is given instead: the one is for development only, and whether
// anybody watches is decided before Ink is started, once for all output.
const replacements = {
  'react-devtools-core': 'export default {};',
  'is-in-ci': 'export default false;',
};

const replaceForInk = {
  name: 'replace-for-ink',
  setup(plugin) {
    const filter = new RegExp(`^(${Object.keys(replacements).join('|')})$`);
    plugin.onResolve({ filter }, ({ path: name }) => ({ path: name, namespace: 'replacement' }));
    plugin.onLoad({ filter: /.*/, namespace: 'replacement' }, ({ path: name }) => ({
      contents: replacements[name],
    }));
  },
};

await build({
  entryPoints: [path('src/bin.ts')],
  outdir: folder,
  bundle: true,
  splitting: true,
  minifySyntax: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  jsx: 'automatic',
  chunkNames: 'chunks/[name]-[hash]',
  legalComments: 'linked',
  define: { 'process.env.NODE_ENV': '"production"' },
  // The sources, and not what a build of them may have left behind.
  alias: {
    '@shorty/sdk': path('../sdk/src/index.ts'),
    '@shorty/webhook-verifier': path('../webhook-verifier/src/index.ts'),
  },
  plugins: [replaceForInk],
  // CommonJS dependencies ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
  logLevel: 'warning',
});
