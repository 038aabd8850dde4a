// Functions that all scripts share. `install` runs only when a manifest or the lockfile has changed,
// `build` only when a source has changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stamps = join(root, 'node_modules', '.shorty');
// pnpm 11 does not support the oldest Node that we support. npx downloads pnpm.
export const pnpm = ['-y', 'pnpm@10.34.9'];

const workspaces = [
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
  'examples',
  'e2e',
  'bench',
  'chaos',
];

/** Runs a command and shows its output. Exits when the command fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) fail(`${command} could not be started: ${result.error.message}`);
  if (result.signal) process.kill(process.pid, result.signal);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Returns the path of a dependency's executable. */
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
      // Logs go to stderr, because stdout is for the script's own output.
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
    'scripts/build-commonjs.mjs',
    ...workspaces
      .filter((folder) => folder.startsWith('packages/'))
      .flatMap((folder) => [
        `${folder}/package.json`,
        `${folder}/tsconfig.json`,
        ...filesBelow(`${folder}/src`),
        ...filesBelow(`${folder}/scripts`),
      ]),
  ];
  const outputs = [
    'packages/server/dist/bin.js',
    'packages/server/dist/openapi.yaml',
    'packages/server/dist/countries.mmdb',
    'packages/server/dist/referrers/referrers.json',
    'packages/server/dist/swagger-ui/swagger-ui-bundle.js',
    'packages/sdk/dist/cjs/index.js',
    'packages/cli/dist/bin.js',
  ];
  const complete = outputs.every((path) => existsSync(join(root, path)));
  once(
    'build',
    inputs.map(digestOfFile),
    () => {
      note('building');
      run(binary('tsc'), ['--build'], { stdio: ['ignore', 2, 2] });
      run('node', ['packages/server/scripts/copy-assets.mjs'], { stdio: ['ignore', 2, 2] });
      run('node', ['scripts/build-commonjs.mjs'], { stdio: ['ignore', 2, 2] });
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

/** Does the work unless it was done with the same inputs before and its outputs exist. */
function once(name, digests, work, outputsExist = true) {
  const path = join(stamps, name);
  const stamp = createHash('sha256').update(digests.join('\n')).digest('hex');
  if (outputsExist && existsSync(path) && readFileSync(path, 'utf8') === stamp) return;
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

// Without this setting, node-gyp downloads Node's headers even if they are installed.
function compilerSettings() {
  const prefix = dirname(dirname(process.execPath));
  const shipped = existsSync(join(prefix, 'include', 'node', 'node.h'));
  return shipped && !process.env.npm_config_nodedir ? { npm_config_nodedir: prefix } : {};
}
