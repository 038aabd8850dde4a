// Bundles the command with everything it needs, so that the published package has no dependencies.
// The result goes to dist, or to the folder that is named.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

const [folder = path('dist')] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });

// Ink asks for it only in development.
const withoutDevtools = {
  name: 'without-devtools',
  setup(plugin) {
    plugin.onResolve({ filter: /^react-devtools-core$/ }, ({ path: name }) => ({
      path: name,
      namespace: 'empty',
    }));
    plugin.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({
      contents: 'export default {};',
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
  // The source, and not what a build of it may have left behind.
  alias: { '@shorty/sdk': process.env.SDK ?? path('../sdk/src/index.ts') },
  plugins: [withoutDevtools],
  // CommonJS dependencies ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
  logLevel: 'warning',
});
