// What every script shares: install when a manifest or the lockfile has changed, build when a
// source has changed, and do nothing, in milliseconds, when neither has.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stamps = join(root, 'node_modules', '.shorty');
// 11 needs a newer Node than our oldest; npx fetches it, so that nothing is installed by hand.
export const pnpm = ['-y', 'pnpm@10.34.9'];

const workspaces = [
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
  'examples',
  'e2e',
  'bench',
  'chaos',
];

/** Runs a command with its output shown and stops this process when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) fail(`${command} could not be started: ${result.error.message}`);
  if (result.signal) process.kill(process.pid, result.signal);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** The path of an executable that a dependency ships. */
export const binary = (name) => join(root, 'node_modules', '.bin', name);

export function install() {
  const inputs = [
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    ...workspaces.map((folder) => `${folder}/package.json`),
  ];
  once('install', [process.version, ...inputs.map(digestOfFile)], () => {
    note('installing dependencies (the first time compiles SQLite: about a minute)');
    run('npx', [...pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
      // The log goes to stderr: what a script prints on stdout is its own.
      stdio: ['ignore', 2, 2],
      env: { ...process.env, ...compilerSettings() },
    });
  });
}

export function build() {
  const inputs = [
    'openapi.yaml',
    'tsconfig.base.json',
    'tsconfig.build.json',
    ...workspaces
      .filter((folder) => folder.startsWith('packages/'))
      .flatMap((folder) => [
        `${folder}/package.json`,
        `${folder}/tsconfig.json`,
        ...filesBelow(`${folder}/src`),
        ...filesBelow(`${folder}/scripts`),
      ]),
  ];
  const outputs = ['packages/server/dist/bin.js', 'packages/cli/dist/bin.js'];
  const complete = outputs.every((path) => existsSync(join(root, path)));
  once(
    'build',
    inputs.map(digestOfFile),
    () => {
      note('building');
      run(binary('tsc'), ['--build'], { stdio: ['ignore', 2, 2] });
      run('node', ['packages/cli/scripts/build.mjs'], { stdio: ['ignore', 2, 2] });
    },
    complete,
  );
}

export function note(text) {
  process.stderr.write(`shorty: ${text}\n`);
}

export function fail(text) {
  note(text);
  process.exit(1);
}

/** Does the work unless its stamp says that it was done with the same inputs. */
function once(name, digests, work, stillThere = true) {
  const path = join(stamps, name);
  const stamp = createHash('sha256').update(digests.join('\n')).digest('hex');
  if (stillThere && existsSync(path) && readFileSync(path, 'utf8') === stamp) return;
  work();
  mkdirSync(stamps, { recursive: true });
  writeFileSync(path, stamp);
}

function digestOfFile(path) {
  const file = join(root, path);
  const content = existsSync(file) ? readFileSync(file) : '';
  return `${path} ${createHash('sha256').update(content).digest('hex')}`;
}

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}

// node-gyp asks the network for Node's headers unless it is told where they already lie.
function compilerSettings() {
  const prefix = dirname(dirname(process.execPath));
  const shipped = existsSync(join(prefix, 'include', 'node', 'node.h'));
  return shipped && !process.env.npm_config_nodedir ? { npm_config_nodedir: prefix } : {};
}
