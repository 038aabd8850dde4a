// `npm run prepare-release 1.1.0`: sets this version everywhere, and moves the lines of .changeset into
// CHANGELOG.md. A person edits the new section before the commit (docs/releasing.md).
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, install, note, pnpm, root, run } from './bootstrap.mjs';
import { versionOf } from './pack.mjs';

const version = process.argv[2] ?? '';
if (!/^\d+\.\d+\.\d+(-rc\.\d+)?$/.test(version)) {
  fail(`"${version}" is no version such as 1.1.0 or 1.1.0-rc.1: npm run prepare-release VERSION`);
}
const previous = versionOf('server');
const changes = readdirSync(join(root, '.changeset'))
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => join(root, '.changeset', name));
// A version may be the same as its last candidate.
if (changes.length === 0 && !previous.startsWith(`${version}-rc.`)) {
  fail('.changeset has no change: there is nothing to release');
}
const entries = changes.map(readEntry).join('');

install();
// Our packages name each other's versions, and so does the lockfile.
const ofPackage = /(?<="(?:version|@shorty\/[\w-]+)": ")\d[^"]*/g;
for (const name of readdirSync(join(root, 'packages'))) {
  replaceIn(`packages/${name}/package.json`, ofPackage, version);
}
run('npx', [...pnpm, 'install', '--lockfile-only', '--reporter=silent']);
const others = ['docs/kubernetes.md', 'deploy/helm/Chart.yaml', 'e2e/lib/commands-not-run.ts'];
for (const file of others) replaceIn(file, new RegExp(previous, 'g'), version);
// The contract and the SDK contain the version.
run('node', ['scripts/generate.mjs']);

const heading = `## ${version} (${new Date().toISOString().slice(0, 10)})`;
replaceIn('CHANGELOG.md', /^## /m, `${heading}\n\n${entries}\n## `);
for (const path of changes) rmSync(path);
note(`version ${version} is set; edit its section in CHANGELOG.md, then follow docs/releasing.md`);

function readEntry(path) {
  const line = readFileSync(path, 'utf8').trim();
  if (/^\*\*[a-z, -]+\*\*: .+$/.test(line)) return `- ${line}\n`;
  return fail(`${path}: must be one line that names the packages, as .changeset/README.md says`);
}

function replaceIn(file, pattern, text) {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  // A function, because a text may contain patterns of replacements such as $&.
  const after = before.replace(pattern, () => text);
  if (after === before) fail(`${file}: has no ${pattern}`);
  writeFileSync(path, after);
}
