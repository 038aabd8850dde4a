// Checks the Markdown files without a network: links, anchors and the paths of ARCHITECTURE.md resolve,
// README.md is short, and the reference of settings matches config.ts.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { root } from './bootstrap.mjs';

const maxReadmeWords = 500;
const mapRoots = ['', ...['server', 'cli', 'sdk', 'import'].map((name) => `packages/${name}/src/`)];

const errors = [];
const read = (path) => readFileSync(join(root, path), 'utf8');
const patterns = ['--cached', '--others', '--exclude-standard', '*.md'];
const files = execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(root, file)));
const anchors = new Map();

for (const file of files) checkLinks(file);
checkPaths('ARCHITECTURE.md');
checkReadme();
checkFeatures();
checkSettings();

for (const error of errors) console.log(error);
process.exit(errors.length === 0 ? 0 : 1);

function checkLinks(file) {
  const text = withoutCode(read(file));
  for (const { 1: target, index } of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const at = `${file}:${text.slice(0, index).split('\n').length}`;
    const [path, anchor] = target.split('#');
    const linked = path === '' ? file : relative(root, resolve(root, dirname(file), path));
    if (linked.startsWith('..') || !existsSync(join(root, linked))) {
      errors.push(`${at}: ${target}: there is no such file`);
    } else if (anchor !== undefined && !anchorsOf(linked).has(anchor)) {
      errors.push(`${at}: ${target}: ${linked} has no such heading`);
    }
  }
}

/** Returns the anchors that GitHub creates for the headings of a file. */
function anchorsOf(file) {
  const known = anchors.get(file);
  if (known) return known;
  const found = new Set();
  anchors.set(file, found);
  if (statSync(join(root, file)).isDirectory()) return found;
  for (const [, heading] of withoutFences(read(file)).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let unique = slug;
    for (let repeat = 1; found.has(unique); repeat += 1) unique = `${slug}-${repeat}`;
    found.add(unique);
  }
  return found;
}

// Blank lines remain, so that line numbers do not change.
function withoutFences(text) {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, (code) => code.replaceAll(/[^\n]+/g, ''));
}

function withoutCode(text) {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, '``');
}

/** The paths that a page names must exist. */
function checkPaths(page) {
  const text = withoutFences(read(page));
  for (const { 1: path, index } of text.matchAll(/`([\w./-]+(?:\.tsx?|\.m?js|\/))`/g)) {
    if (mapRoots.some((folder) => existsSync(join(root, folder, path)))) continue;
    errors.push(
      `${page}:${text.slice(0, index).split('\n').length}: ${path}: there is no such file`,
    );
  }
}

function checkReadme() {
  const words = read('README.md').trim().split(/\s+/).length;
  if (words > maxReadmeWords) {
    errors.push(`README.md: ${words} words: must have at most ${maxReadmeWords}`);
  }
}

/**
 * What each row of the README's table needs in the contract: tags of operations, and fields. Every tag belongs
 * to a row.
 */
function checkFeatures() {
  const page = 'README.md';
  const needed = {
    'Short links': [
      'URLs',
      'Redirects',
      'Domains',
      'password',
      'activatesAt',
      'expiresAt',
      'maxClicks',
      'rules',
    ],
    'Bulk imports': ['UrlBulkCreateRequest'],
    Analytics: ['Analytics', 'uniqueClicks', 'excludedClicks'],
    'QR codes': ['QR codes', 'QR images', 'logoUrl'],
    Webhooks: ['Webhooks', 'attempts', 'nextAttemptAt'],
    'A dashboard': ['People', 'Sessions', 'role'],
    Organizations: ['Organization', 'Administration', 'Usage', 'Audit log', 'plan', 'takenDown'],
    'Pages for visitors': ['infoPage'],
    'Safe targets': ['targetBlockedAt'],
    Programs: ['Authentication', 'onlyOwnLinks'],
    Deployment: ['Operations'],
  };
  const contract = parse(read('openapi.yaml'));
  const names = new Set(contract.tags.map(({ name }) => name));
  const words = new Set(read('openapi.yaml').match(/(?<=^ +)[A-Za-z]+(?=:)/gm));
  const rows = read(page).match(/(?<=^\| \[)[^\]]+/gm);
  for (const [row, parts] of Object.entries(needed)) {
    if (!rows.includes(row)) errors.push(`${page}: has no row "${row}"`);
    for (const part of parts) {
      if (!names.delete(part) && !words.has(part))
        errors.push(`${page}: ${row}: openapi.yaml has no ${part}`);
    }
  }
  for (const tag of names) errors.push(`${page}: no row is about "${tag}" of openapi.yaml`);
}

/** Exactly the variables that config.ts reads have a row, with the right default. */
function checkSettings() {
  const page = 'docs/reference/settings.md';
  const rows = new Map(
    [...read(page).matchAll(/^\| `([A-Z_]+)` \|.*\| (.+?) \|$/gm)].map(([, ...row]) => row),
  );
  const source = read('packages/server/src/config.ts');
  const reads = source.matchAll(
    /\b(?:(?:read|readSecret|optional|secretOf)\((?:environment,)?\s*'|environment\.)([A-Z_]+)(?:',\s*'([^']*)')?/g,
  );
  const known = new Map([...reads].map(([, ...setting]) => setting));
  if (known.size < 20) errors.push(`${page}: found only ${known.size} settings in config.ts`);
  for (const [name, fallback] of known) {
    const shown = rows.get(name);
    if (shown === undefined) errors.push(`${page}: has no row for ${name}`);
    else if (fallback && shown !== `\`${fallback}\``) {
      errors.push(`${page}: ${name}: the default must be \`${fallback}\``);
    }
  }
  for (const name of rows.keys()) {
    if (!known.has(name)) errors.push(`${page}: ${name}: config.ts does not read it`);
  }
}
