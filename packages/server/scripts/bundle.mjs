// Bundles the compiled server with the packages that consist of many modules. One file for each set of
// threads takes a third less memory than 600 modules in each thread. Only the bundle is published.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundled, packagesIn } from './bundled-packages.mjs';

const server = fileURLToPath(new URL('..', import.meta.url));
const dist = join(server, 'dist');
// Two folders below dist, as the modules that find their files relative to themselves.
const folder = join(dist, 'bundle', 'modules');

const entries = [
  'bin.js',
  'index.js',
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
    plugin.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      const [name] = /^(@[^/]+\/)?[^/]+/.exec(path);
      return kind === 'entry-point' || bundled.includes(name)
        ? undefined
        : { path, external: true };
    });
  },
};

const root = join(server, '../..');
const metafilePath = join(dirname(folder), 'metafile.json');
const namesOf = ({ outputs }) => Object.keys(outputs).map((path) => basename(path));
// The names of the files that the last build wrote.
const previous = existsSync(metafilePath)
  ? namesOf(JSON.parse(readFileSync(metafilePath, 'utf8')))
  : [];

const { metafile } = await build({
  absWorkingDir: root,
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
  // For packages in CommonJS, which require modules of Node.
  banner: {
    js: "import{createRequire as shortyRequire}from'node:module';const require=shortyRequire(import.meta.url);",
  },
  platform: 'node',
  target: 'node20.19',
  plugins: [choosePackages],
  logLevel: 'warning',
});

// Schemas take 3 to 4 MB in a thread. The threads that always run must not load them.
for (const thread of ['ingest-thread.js', 'dispatch-thread.js']) {
  const modules = modulesOf(metafile, thread);
  if (modules.some((path) => path.includes('node_modules/zod/'))) {
    throw new Error(
      `${thread} loads zod. Import only types from modules with schemas, or move what it needs to a module without one.`,
    );
  }
}

// The bundle of a CommonJS package has no named exports, so `const { name } = await import(package)` is
// undefined there, although it works without the bundle.
for (const { entryPoint = '', exports } of Object.values(metafile.outputs)) {
  if (entryPoint.includes('node_modules/') && exports.join() === 'default') {
    throw new Error(
      `${entryPoint} is imported dynamically and has no named exports. Import it statically in a module of the server, and import that one dynamically.`,
    );
  }
}

// A server that is running loads modules of the build before, whose names have other hashes.
const written = namesOf(metafile);
for (const name of readdirSync(folder)) {
  if (!written.includes(name) && !previous.includes(name)) rmSync(join(folder, name));
}
writeFileSync(metafilePath, JSON.stringify(metafile));

const licenses = packagesIn(metafile, root).map((path) => {
  const name = readdirSync(path).find((file) => /^licen[cs]e/i.test(file));
  if (!name) throw new Error(`${path} has no license`);
  return `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}\n\n${readFileSync(join(path, name), 'utf8').trim()}\n`;
});
writeFileSync(join(dirname(folder), 'LICENSES.txt'), licenses.join('\n\n'));

/** Returns the modules that an entry loads when it starts. */
function modulesOf({ outputs }, entry) {
  const loaded = new Set([Object.keys(outputs).find((path) => basename(path) === entry)]);
  for (const path of loaded) {
    for (const { path: imported, kind, external } of outputs[path].imports) {
      if (kind === 'import-statement' && !external) loaded.add(imported);
    }
  }
  return [...loaded].flatMap((path) => Object.keys(outputs[path].inputs));
}
