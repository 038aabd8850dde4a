// Bundles the dashboard into the server's `dist`, from which it is served.
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const folder = path('../server/dist/dashboard');

rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: { dashboard: path('src/app.tsx'), style: path('src/style.css') },
  outdir: folder,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['es2023', 'chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  chunkNames: '[name]-[hash]',
  legalComments: 'linked',
  // The source, because a build of it may be stale.
  alias: { '@shorty/sdk': path('../sdk/src/index.ts') },
  logLevel: 'warning',
});
copyFileSync(path('src/index.html'), `${folder}/index.html`);
