// `node packages/server/scripts/write-openapi.mjs [file]`: renders the contract as an OpenAPI document.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

// Bundles the sources, because Node 20 does not run TypeScript. The bundle imports packages from there.
const bundle = path('../node_modules/.render-openapi.mjs');
await build({
  entryPoints: [path('render-openapi.ts')],
  outfile: bundle,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
});
const { renderOpenApi } = await import(bundle);
writeFileSync(process.argv[2] ?? 'openapi.yaml', renderOpenApi());
