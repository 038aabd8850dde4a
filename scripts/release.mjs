// `npm run release [folder]`: writes everything that a release consists of to a folder, release/ by
// default.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './bootstrap.mjs';
import { pack, versionOf } from './pack.mjs';
import { renderSbom } from './sbom.mjs';

/**
 * Writes the tarballs, the changelog, the bill of materials and the checksums of all these files to a folder. Returns the tarballs by name.
 */
export function release(folder) {
  mkdirSync(folder, { recursive: true });
  // The folder may be one of a user's project.
  const outdated = readdirSync(folder).filter((name) => /^shorty-.*\.(tgz|cdx\.json)$/.test(name));
  for (const name of outdated) rmSync(join(folder, name));
  const tarballs = pack(folder);
  const version = versionOf('server');
  const files = {
    'CHANGELOG.md': readFileSync(join(root, 'CHANGELOG.md')),
    [`shorty-${version}.cdx.json`]: renderSbom(Object.values(tarballs)),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const checksums = [
    ...Object.keys(files),
    ...Object.values(tarballs).map((path) => basename(path)),
  ]
    .sort()
    .map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), checksums.join(''));
  return tarballs;
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // npm changes to the folder of the clone. INIT_CWD is the folder in which it was called.
  const folder = resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? join(root, 'release'));
  release(folder);
  for (const name of readdirSync(folder).sort()) console.log(join(folder, name));
}
