// Packs the published packages. A project that installs from its own copy of a tarball needs no clone, unlike
// one with a link to it.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, note, root, run } from './bootstrap.mjs';

const published = ['cli', 'sdk', 'server', 'webhook-verifier'];

/** Builds, packs every published package into a folder, and returns the tarballs by name. */
export function pack(folder) {
  install();
  build();
  mkdirSync(folder, { recursive: true });
  note(`packing ${published.join(', ')}`);
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
