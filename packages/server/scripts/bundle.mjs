// Bundles the compiled server for `shorty-server`, with the packages that consist of many modules.
// One file for each set of threads takes a third less memory than 600 modules in each thread. The
// modules of dist remain for programs that import this package.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const server = fileURLToPath(new URL('..', import.meta.url));
const dist = join(server, 'dist');
// Two folders below dist, as the modules that find their files relative to themselves.
const folder = join(dist, 'bundle', 'modules');

const bundled = ['kysely', 'zod'];
const entries = [
  'bin.js',
  'analytics/ingest/ingest-thread.js',
  'analytics/reports/report-thread.js',
  'auth/password-thread.js',
  'lists/list-thread.js',
  'operations/backup/backup-process.js',
  'qr/drawing/drawing-thread.js',
  'qr/logo/logo-process.js',
  'webhooks/dispatch-thread.js',
];

const choosePackages = {
  name: 'choose-packages',
  setup(plugin) {
    // Zod's messages in languages other than English.
    plugin.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path }) => ({
      path,
      namespace: 'empty',
    }));
    plugin.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export {};' }));
    plugin.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || bundled.includes(path) ? undefined : { path, external: true },
    );
  },
};

// The names of the files that the last build wrote.
const list = join(dirname(folder), 'files.json');
const previous = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];

const { metafile } = await build({
  entryPoints: entries.map((entry) => join(dist, entry)),
  outdir: folder,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  // Names remain, because logs contain stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the line of an uncaught error.
  lineLimit: 120,
  metafile: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  plugins: [choosePackages],
  logLevel: 'warning',
});

// A server that is running loads modules of the build before, whose names have other hashes.
const written = Object.keys(metafile.outputs).map((path) => basename(path));
for (const name of readdirSync(folder)) {
  if (!written.includes(name) && !previous.includes(name)) rmSync(join(folder, name));
}
writeFileSync(list, JSON.stringify(written));

const licenses = bundled.map((name) => {
  const text = readFileSync(join(server, 'node_modules', name, 'LICENSE'), 'utf8');
  return `${name}\n\n${text.trim()}\n`;
});
writeFileSync(join(dirname(folder), 'LICENSES.txt'), licenses.join('\n\n'));
