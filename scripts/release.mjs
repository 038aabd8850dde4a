// `npm run release [folder]`: writes everything that a release consists of to a folder, release/ by
// default: the tarballs, the changelog, the bill of materials and the checksums of all these files.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { note, root } from './bootstrap.mjs';
import { pack, versionOf } from './pack.mjs';
import { renderSbom } from './sbom.mjs';

// npm changes to the folder of the clone. INIT_CWD is the folder in which it was called.
const folder = resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? join(root, 'release'));
mkdirSync(folder, { recursive: true });
// The folder may be one of a user's project.
const outdated = readdirSync(folder).filter((name) => /^shorty-.*\.(tgz|cdx\.json)$/.test(name));
for (const name of outdated) rmSync(join(folder, name));
const tarballs = Object.values(pack(folder));
note('resolving all dependencies for the bill of materials (a minute or more)');
const files = {
  'CHANGELOG.md': readFileSync(join(root, 'CHANGELOG.md')),
  [`shorty-${versionOf('server')}.cdx.json`]: renderSbom(tarballs),
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
const checksums = [...Object.keys(files), ...tarballs.map((path) => basename(path))]
  .sort()
  .map((name) => `${sha256(join(folder, name))}  ${name}\n`);
writeFileSync(join(folder, 'SHA256SUMS'), checksums.join(''));
for (const name of readdirSync(folder).sort()) console.log(join(folder, name));

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
