// Checks the Markdown files without a network: links and anchors resolve, README.md is short,
// decision records have numbers and titles, and the reference of settings matches config.ts.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const skippedFolders = new Set(['node_modules', 'dist', '.git', '.cache', '.changeset', 'release']);
const maxReadmeWords = 500;
const mapRoots = ['', ...['server', 'cli', 'sdk', 'import'].map((name) => `packages/${name}/src/`)];

const errors = [];
const read = (path) => readFileSync(join(root, path), 'utf8');
const files = markdownBelow(root).map((path) => relative(root, path));
const anchors = new Map();

for (const file of files) checkLinks(file);
checkPaths('ARCHITECTURE.md');
checkWalkthroughs();
checkReadme();
checkDecisions();
checkSettings();

for (const error of errors) console.log(error);
process.exit(errors.length === 0 ? 0 : 1);

function markdownBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : markdownBelow(path);
    return entry.isFile() && entry.name.endsWith('.md') ? [path] : [];
  });
}

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

/** A walkthrough names no more files than its heading allows. */
function checkWalkthroughs() {
  const walkthroughs = Array.from(
    read('ARCHITECTURE.md').matchAll(/^### (.+) \(at most (\d+) files\)\n([^#]*)/gm),
  );
  if (walkthroughs.length < 6) {
    errors.push('ARCHITECTURE.md: must have six walkthroughs with a number of files');
  }
  for (const [, name, most, text] of walkthroughs) {
    const named = new Set(Array.from(text.matchAll(/`([\w./-]+\.ts)`/g), ([, path]) => path));
    if (named.size > Number(most)) {
      errors.push(
        `ARCHITECTURE.md: ${name}: names ${named.size} files: at most ${most} are allowed`,
      );
    }
  }
}

function checkReadme() {
  const words = read('README.md').trim().split(/\s+/).length;
  if (words > maxReadmeWords) {
    errors.push(`README.md: ${words} words: must have at most ${maxReadmeWords}`);
  }
}

function checkDecisions() {
  const numbers = new Map();
  for (const file of files.filter((path) => /^docs\/decisions\/\d/.test(path))) {
    const text = read(file);
    const number = basename(file).slice(0, 4);
    const other = numbers.get(number);
    if (other) errors.push(`${file}: ${other} has the same number`);
    numbers.set(number, file);
    if (!text.startsWith(`# ${Number(number)}. `)) {
      errors.push(`${file}: the first line must be "# ${Number(number)}. " and the title`);
    }
  }
}

/** Checks that exactly the variables that config.ts reads have a row, with the right default. */
function checkSettings() {
  const page = 'docs/reference/settings.md';
  const rows = new Map(
    Array.from(read(page).matchAll(/^\| `([A-Z_]+)` \|.*\| (.+?) \|$/gm), ([, name, value]) => [
      name,
      value,
    ]),
  );
  const source = read('packages/server/src/config.ts');
  const reads = Array.from(
    source.matchAll(
      /\b(?:read|readSecret|optional|secretOf)\((?:environment,)?\s*'([A-Z_]+)'(?:,\s*'([^']*)')?/g,
    ),
    ([, name, fallback]) => [name, fallback],
  );
  const environmentReads = Array.from(source.matchAll(/environment\.([A-Z_]+)/g), ([, name]) => [
    name,
  ]);
  const known = new Map([...reads, ...environmentReads]);
  // Set only by old configurations; the server refuses to start with it.
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
