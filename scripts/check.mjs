// `npm run check`: runs all static checks.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { audit } from './audit.mjs';
import { binary, root } from './bootstrap.mjs';
import { pack } from './pack.mjs';
import { sharedSources, writeSharedSource } from './shared-sources.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'shorty-check-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
// Installs and builds what is stale, too.
const tarballs = pack(join(scratch, 'packages'));
// Imported after the installation, because they need its packages.
const { cliSources, writeCliSources } = await import(
  '../packages/cli/scripts/contract-sources.mjs'
);
const { sdkSources, writeSdkSources } = await import('./sdk-sources.mjs');
const { serverSources, writeServerSources } = await import('./server-sources.mjs');
const { verifierSources, writeVerifierSources } = await import('./verifier-sources.mjs');
const freshContract = join(scratch, 'openapi.yaml');
const freshReference = join(scratch, 'cli.md');

// attw checks types, and the CLI exports none.
const libraries = { sdk: 'node16', server: 'esm-only', 'webhook-verifier': 'strict' };

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
  ['openapi.yaml matches the contract', () => same('openapi.yaml', freshContract, writeContract)],
  ['generated sources match openapi.yaml', generatedSourcesAreFresh],
  [
    'the CLI reference matches the command tree',
    () => same('docs/reference/cli.md', freshReference, writeReference),
  ],
  ['links, settings and records of the documentation', () => run('node', 'scripts/check-docs.mjs')],
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
    'Dockerfile, compose file, systemd unit and .github',
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

function writeContract() {
  return run('node', 'packages/server/scripts/write-openapi.mjs', freshContract);
}

async function generatedSourcesAreFresh() {
  writeServerSources(scratch);
  writeSdkSources(scratch);
  writeVerifierSources(scratch);
  writeCliSources(scratch);
  writeSharedSource(join(scratch, 'nearest-name.ts'));
  const names = [
    ...cliSources.map((name) => `cli/src/generated/${name}`),
    'import/src/generated/link-fields.ts',
    ...sharedSources,
    ...serverSources.map((name) => `server/src/generated/${name}`),
    ...sdkSources.map((name) => `sdk/src/generated/${name}`),
    ...verifierSources.map((name) => `webhook-verifier/src/generated/${name}`),
  ];
  const failures = await Promise.all(
    names.map((name) => same(`packages/${name}`, join(scratch, basename(name)))),
  );
  return failures.find((failure) => failure !== undefined);
}

function writeReference() {
  return run('node', 'packages/cli/scripts/write-reference.mjs', freshReference);
}

async function same(committed, fresh, write) {
  const failure = await write?.();
  if (failure) return failure;
  const isSame = readFileSync(join(root, committed), 'utf8') === readFileSync(fresh, 'utf8');
  return isSame ? undefined : `${committed} is out of date: run npm run generate`;
}

function lockfileNamesNoHost() {
  const line = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
    .split('\n')
    .find((text) => /https?:\/\//.test(text) && !/deprecated/.test(text));
  return line && `pnpm-lock.yaml names an address: ${line.trim()}`;
}
