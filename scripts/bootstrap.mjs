// Functions that all scripts share. `install` runs only when a manifest or the lockfile has changed,
// `build` only when a source has changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stamps = join(root, 'node_modules', '.shorty');
// pnpm 11 does not support the oldest Node that we support. npx downloads pnpm.
export const pnpm = ['-y', 'pnpm@10.34.9'];

const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);
const workspaces = [...packages, 'examples', 'e2e', 'bench'];

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
    runLogged('npx', [...pnpm, 'install', '--frozen-lockfile', '--reporter=append-only']);
  });
  const problem = findNativeProblem();
  if (problem === undefined) return;
  note(`compiling SQLite for Node ${process.version}: ${problem}`);
  const folder = dirname(serverRequire.resolve('better-sqlite3/package.json'));
  // Other checkouts may share the files by hard links.
  rmSync(join(folder, 'build'), { recursive: true, force: true });
  runLogged('npm', ['--prefix', folder, 'run', 'install']);
}

const serverRequire = createRequire(join(root, 'packages/server/package.json'));

/** Returns why SQLite's native module cannot be loaded, such as after a change of Node's version. */
function findNativeProblem() {
  try {
    const Sqlite = serverRequire('better-sqlite3');
    new Sqlite(':memory:').close();
    const folder = dirname(serverRequire.resolve('better-sqlite3/package.json'));
    const module = readFileSync(join(folder, 'build/Release/better_sqlite3.node'), 'latin1');
    // packages/server/native/object-wrap.h has the reason.
    const isUnsafe = module.includes('RemoveEnvironmentCleanupHook');
    return isUnsafe ? 'Node would abort in the garbage collector' : undefined;
  } catch (error) {
    if (error.code === 'ERR_DLOPEN_FAILED') return 'the module is of another version';
    if (/^Could not locate the bindings file/.test(error.message)) return 'the module is missing';
    throw error;
  }
}

/** Runs a command without its output, which a failure writes to a log. */
function runLogged(command, args) {
  const env = { ...process.env, ...compilerSettings() };
  const maxBuffer = 256 * 1024 * 1024;
  const result = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', maxBuffer });
  if (result.error) fail(`${command} could not be started: ${result.error.message}`);
  if (result.signal) process.kill(process.pid, result.signal);
  if (result.status === 0) return;
  const text = result.stdout + result.stderr;
  const log = join(mkdtempSync(join(tmpdir(), 'shorty-install-')), 'install.log');
  writeFileSync(log, text);
  // node-gyp fails if it cannot find Python, and when make or the compiler fails.
  if (/gyp ERR!/.test(text)) {
    fail(
      `SQLite cannot be compiled for Node ${process.version}: install Python 3, make and a C++ compiler (Debian: apt-get install python3 make g++; macOS: xcode-select --install), then run this again; log: ${log}`,
    );
  }
  process.stderr.write(`${text.trimEnd().split('\n').slice(-20).join('\n')}\n`);
  fail(`${command} ${args.join(' ')} failed; log: ${log}`);
}

export function build() {
  const inputs = [
    'openapi.yaml',
    'tsconfig.json',
    'scripts/build-commonjs.mjs',
    ...packages.flatMap((folder) => [
      `${folder}/package.json`,
      `${folder}/tsconfig.json`,
      ...filesBelow(`${folder}/src`),
      ...filesBelow(`${folder}/scripts`),
    ]),
  ];
  // An output whose source was renamed or deleted would be packed.
  once('sources', inputs, () => {
    for (const folder of packages)
      rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
  });
  const outputs = [
    'packages/server/dist/bin.js',
    'packages/server/dist/openapi.yaml',
    'packages/server/dist/openapi.json',
    'packages/server/dist/countries.mmdb',
    'packages/server/dist/referrers/referrers.json',
    'packages/server/dist/swagger-ui/swagger-ui-bundle.js',
    'packages/sdk/dist/cjs/index.js',
    'packages/server/dist/dashboard/index.html',
    'packages/cli/dist/bin.js',
  ];
  const complete = outputs.every((path) => existsSync(join(root, path)));
  once(
    'build',
    inputs.map(digestOfFile),
    () => {
      note('building (a minute or more)');
      run(binary('tsc'), ['--build'], { stdio: ['ignore', 2, 2] });
      run('node', ['packages/server/scripts/copy-assets.mjs'], { stdio: ['ignore', 2, 2] });
      run('node', ['scripts/build-commonjs.mjs'], { stdio: ['ignore', 2, 2] });
      run('node', ['packages/cli/scripts/build.mjs'], { stdio: ['ignore', 2, 2] });
      run('node', ['packages/dashboard/scripts/build.mjs'], { stdio: ['ignore', 2, 2] });
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
  const wrapper = join(root, 'packages/server/native/object-wrap.h');
  const flags = [process.env.CXXFLAGS, `-include "${wrapper}"`];
  return {
    CXXFLAGS: flags.filter(Boolean).join(' '),
    ...(shipped && !process.env.npm_config_nodedir && { npm_config_nodedir: prefix }),
  };
}
