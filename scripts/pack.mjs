// `npm run pack [folder]`: writes the tarballs of all packages to the folder, release/ by default.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, install, root, run } from './bootstrap.mjs';

const published = ['cli', 'sdk', 'server', 'webhook-verifier'];

/** Builds, packs every published package into an emptied folder, and returns its tarballs by name. */
export function pack(folder) {
  install();
  build();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sources = published.map((name) => `./packages/${name}`);
  // Without scripts, because `prepack` would build again.
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, ...sources], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return Object.fromEntries(
    published.map((name) => [name, join(folder, `shorty-${name}-${versionOf(name)}.tgz`)]),
  );
}

export function versionOf(name) {
  const manifest = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8');
  return JSON.parse(manifest).version;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? join(root, 'release'));
  for (const tarball of Object.values(pack(folder))) console.log(tarball);
}
