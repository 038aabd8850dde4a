// `npm run prepare-release`: sets the next version in all packages, and moves the changesets into
// CHANGELOG.md. A person edits the new section before the commit (docs/releasing.md).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { binary, fail, install, note, pnpm, root, run } from './bootstrap.mjs';
import { versionOf } from './pack.mjs';

const headings = { major: 'Breaking changes', minor: 'New and changed', patch: 'Fixed' };
const severities = Object.keys(headings);

/** Returns the packages with their kind of change, and the text, of one changeset. */
export function parseChangeset(name, text) {
  const [, frontMatter, summary] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  if (frontMatter === undefined) throw new Error(`${name}: must begin with a block between ---`);
  return { releases: parse(frontMatter) ?? {}, summary: summary.trim() };
}

/** Returns the section of CHANGELOG.md for one version. */
export function renderSection(version, date, changesets) {
  const groups = severities.map((severity) => {
    const entries = changesets.filter(({ releases }) => severityOf(releases) === severity);
    if (entries.length === 0) return '';
    return `\n### ${headings[severity]}\n\n${entries.map(renderEntry).join('')}`;
  });
  return `## ${version} (${date})\n${groups.join('')}`;
}

/** Returns the changelog with a section before the newest one. */
export function insertSection(changelog, section) {
  const start = changelog.search(/^## /m);
  if (start < 0) throw new Error('CHANGELOG.md: must have a section, which begins with "## "');
  return `${changelog.slice(0, start)}${section}\n${changelog.slice(start)}`;
}

function severityOf(releases) {
  const kinds = Object.values(releases);
  return severities.find((severity) => kinds.includes(severity));
}

function renderEntry({ releases, summary }) {
  const packages = Object.keys(releases).map((name) => name.replace('@shorty/', ''));
  // Later paragraphs belong to the same list item.
  return `- **${packages.sort().join(', ')}**: ${summary.replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}\n`;
}

function prepareRelease() {
  install();
  const folder = join(root, '.changeset');
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const changesets = names
    .sort()
    .map((name) => parseChangeset(name, readFileSync(join(folder, name), 'utf8')));
  if (changesets.length === 0) fail('.changeset has no changeset: there is nothing to release');

  run(binary('changeset'), ['version']);
  // The manifests name the new version of our own packages, and so does the lockfile.
  run('npx', [...pnpm, 'install', '--lockfile-only', '--reporter=silent']);
  // The contract and the SDK contain the version.
  run('node', ['scripts/generate.mjs']);

  const path = join(root, 'CHANGELOG.md');
  const version = versionOf('server');
  const section = renderSection(version, new Date().toISOString().slice(0, 10), changesets);
  writeFileSync(path, insertSection(readFileSync(path, 'utf8'), section));
  note(
    `version ${version} is set; edit its section in CHANGELOG.md, then follow docs/releasing.md`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepareRelease();
