// Writes the CommonJS build of the SDK and the verifier to dist/cjs, beside the ES modules that tsc
// wrote. Each module is converted by itself, so entries share their classes.
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { root } from './bootstrap.mjs';

// `@shorty/sdk/webhooks` is a copy of the verifier, so that the SDK has no dependency.
const verifier = join(root, 'packages/webhook-verifier/dist');
const copy = join(root, 'packages/sdk/dist/webhooks');
rmSync(copy, { recursive: true, force: true });
cpSync(verifier, copy, {
  recursive: true,
  filter: (path) => !/\/(adapters|cjs|\.tsbuildinfo)$/.test(path),
});

for (const name of ['sdk', 'webhook-verifier']) {
  const dist = join(root, 'packages', name, 'dist');
  const cjs = join(dist, 'cjs');
  rmSync(cjs, { recursive: true, force: true });
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  buildSync({
    entryPoints: files.filter((file) => file.endsWith('.js')).map((file) => join(dist, file)),
    outdir: cjs,
    outbase: dist,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // Jest cannot import modules from CommonJS code.
    supported: { 'dynamic-import': false },
    sourcemap: true,
    logLevel: 'warning',
  });
  // The declarations are the same. The manifest says what the modules beside them are.
  for (const file of files.filter((file) => file.endsWith('.d.ts'))) {
    cpSync(join(dist, file), join(cjs, file));
  }
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
}
