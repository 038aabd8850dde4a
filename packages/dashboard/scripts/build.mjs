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
  target: ['es2023', 'chrome123', 'firefox120', 'safari17.5'],
  legalComments: 'linked',
  // Its paths lead to the source of the SDK, because a build of it may be stale.
  tsconfig: path('tsconfig.json'),
});
copyFileSync(path('src/index.html'), `${folder}/index.html`);
