// `npm run prepare-release`: sets the next version in all packages, and moves the changesets into
// CHANGELOG.md. A person edits the new section before the commit (docs/releasing.md).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { binary, fail, install, note, pnpm, root, run } from './bootstrap.mjs';
import { versionOf } from './pack.mjs';

const headings = { major: 'Breaking changes', minor: 'New and changed', patch: 'Fixed' };

install();
const folder = join(root, '.changeset');
const changesets = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .sort()
  .map(readChangeset);
if (changesets.length === 0) fail('.changeset has no changeset: there is nothing to release');

run(binary('changeset'), ['version']);
// The manifests name the new version of our own packages, and so does the lockfile.
run('npx', [...pnpm, 'install', '--lockfile-only', '--reporter=silent']);
// The contract and the SDK contain the version.
run('node', ['scripts/generate.mjs']);

const path = join(root, 'CHANGELOG.md');
const version = versionOf('server');
const chart = join(root, 'deploy/helm/Chart.yaml');
const ofChart = /^(version|appVersion): .*/gm;
writeFileSync(chart, readFileSync(chart, 'utf8').replaceAll(ofChart, `$1: "${version}"`));
const changelog = readFileSync(path, 'utf8');
const newest = changelog.search(/^## /m);
if (newest < 0) fail('CHANGELOG.md: must have a section, which begins with "## "');
writeFileSync(path, `${changelog.slice(0, newest)}${section()}\n${changelog.slice(newest)}`);
note(`version ${version} is set; edit its section in CHANGELOG.md, then follow docs/releasing.md`);

/** Returns the most severe kind of change of a changeset, and its entry of the changelog. */
function readChangeset(name) {
  const text = readFileSync(join(folder, name), 'utf8');
  const [, frontMatter, summary] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  if (frontMatter === undefined) fail(`${name}: must begin with a block between ---`);
  const releases = parse(frontMatter) ?? {};
  const kinds = Object.values(releases);
  const packages = Object.keys(releases).map((each) => each.replace('@shorty/', ''));
  // Later paragraphs belong to the same list item.
  const item = summary.trim().replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '');
  return {
    severity: Object.keys(headings).find((severity) => kinds.includes(severity)),
    entry: `- **${packages.sort().join(', ')}**: ${item}\n`,
  };
}

/** Returns the section of the new version. */
function section() {
  const groups = Object.entries(headings).map(([severity, heading]) => {
    const entries = changesets.filter((each) => each.severity === severity);
    if (entries.length === 0) return '';
    return `\n### ${heading}\n\n${entries.map(({ entry }) => entry).join('')}`;
  });
  return `## ${version} (${new Date().toISOString().slice(0, 10)})\n${groups.join('')}`;
}
