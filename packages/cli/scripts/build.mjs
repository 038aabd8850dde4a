// Bundles the CLI with its dependencies into dist, or into the folder named on the command line. The
// published package then has no dependencies.
import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { bundleOptions, path } from './bundle.mjs';

const [folder = path('dist')] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });

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
  logLevel: 'warning',
});

// Not published: scripts/sbom.mjs reads which packages the bundle contains.
writeFileSync(`${folder}/metafile.json`, JSON.stringify(metafile));
