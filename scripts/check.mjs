// `npm run check`: runs all static checks.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { binary, pnpm, root } from './bootstrap.mjs';
import { pack } from './pack.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'shorty-check-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
// Installs and builds what is stale, too.
const tarballs = pack(join(scratch, 'packages'));

// attw checks types, and the CLI exports none.
const libraries = { sdk: 'strict', server: 'esm-only', 'webhook-verifier': 'strict' };

// The analysis of a pattern takes seconds, so results are kept for each unchanged file.
const eslintFlags = [
  '--cache',
  '--cache-location',
  'node_modules/.cache/eslint',
  'packages/*/src/**/*.{ts,tsx}',
  'examples/*.mjs',
];

const sources = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`);

const steps = [
  ['format and lint', () => run(binary('biome'), 'ci', '--colors=off', '--error-on-warnings', '.')],
  [
    'every regular expression takes linear time',
    () => run(binary('eslint'), '--config', 'scripts/eslint.config.mjs', ...eslintFlags),
  ],
  ['types', () => run(binary('tsc'), '--build')],
  ['types of the command line', () => run(binary('tsc'), '--project', 'packages/cli')],
  ['types of the tests', () => run(binary('tsc'), '--project', 'e2e')],
  ['generated files match the code', generatedFilesAreFresh],
  ['links and settings of the documentation', () => run('node', 'scripts/check-docs.mjs')],
  [
    'openapi.yaml follows the recommended rules',
    () => run(binary('redocly'), 'lint', 'openapi.yaml', '--config', 'scripts/redocly.yaml'),
  ],
  ...Object.entries(tarballs).map(([name, tarball]) => [
    `${name} can be published`,
    () => run(binary('publint'), 'run', tarball, '--strict'),
  ]),
  ...Object.entries(libraries).map(([name, profile]) => [
    `${name} can be imported`,
    () => run(binary('attw'), tarballs[name], '--profile', profile),
  ]),
  [
    'imports point downwards, without a cycle',
    () => run(binary('depcruise'), '--config', 'scripts/layers.mjs', ...sources),
  ],
  ['no dead file, export or dependency', () => run(binary('knip'))],
  [
    'Dockerfile, compose files, systemd unit and workflows',
    () => run('node', 'scripts/check-deploy.mjs'),
  ],
  ['the lockfile names no host', lockfileNamesNoHost],
  ['production dependencies have no known vulnerability', audit],
];

let passed = 0;
const failed = [];
// A check with an unknown result neither passes nor fails.
const unknown = [];
const waiting = steps.values();
// Two at a time: most of them keep one core busy.
await Promise.all([runSteps(), runSteps()]);
const open = unknown.length > 0 ? `, ${unknown.length} unknown` : '';
console.log(`\n${passed} passed, ${failed.length} failed${open}`);
process.exit(failed.length === 0 ? 0 : 1);

async function runSteps() {
  for (const [name, step] of waiting) {
    const startedAt = performance.now();
    const failure = await step();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const verdict = failure?.unknown ? '????' : failure ? 'FAIL' : 'ok  ';
    console.log(`${verdict}  ${name} (${seconds} s)`);
    if (failure?.unknown) {
      unknown.push(name);
      console.log(`      unknown: ${failure.unknown}`);
    } else if (failure) {
      failed.push(name);
      console.log(failure.replace(/^/gm, '      '));
    } else passed += 1;
  }
}

/** Runs a command. Returns its output if it fails. */
function run(command, ...args) {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: root, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (!error) resolve(undefined);
      else resolve(`${stdout}${stderr}`.trim() || error.message);
    });
  });
}

async function generatedFilesAreFresh() {
  const folder = join(scratch, 'generated');
  const failure = await run('node', 'scripts/generate.mjs', folder);
  if (failure) return failure;
  const outdated = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => readFileSync(join(folder, path)).compare(readFileSync(join(root, path))));
  return outdated.length > 0 ? `${outdated}: out of date: run npm run generate` : undefined;
}

/** Without a report of the registry, the result is unknown. */
async function audit() {
  const failure = await run('npx', ...pnpm, 'audit', '--prod');
  if (!failure || /vulnerabilities found/.test(failure)) return failure;
  return { unknown: failure.split('\n')[0] };
}

function lockfileNamesNoHost() {
  const line = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
    .split('\n')
    .find((text) => /https?:\/\//.test(text) && !/deprecated/.test(text));
  return line && `pnpm-lock.yaml names an address: ${line.trim()}`;
}
