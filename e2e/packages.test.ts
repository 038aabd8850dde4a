import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { versionOf } from '../scripts/pack.mjs';
import { installTarballs, tryServer, tryWithoutServer } from '../scripts/try-packages.mjs';
import { root, scratchFolder } from './lib/processes.js';

// A project of a user, beside the clone, in which the commands of the guide write a release and install the SDK.
const parent = mkdtempSync(join(tmpdir(), 'shorty-release-'));
const project = join(parent, 'project');
const releaseFolder = join(project, 'vendor');
let tarballs: readonly string[];
beforeAll(() => {
  symlinkSync(root, join(parent, 'shorty'));
  mkdirSync(project);
  const guide = readFileSync(join(root, 'docs/sdk.md'), 'utf8');
  const [, commands = ''] = /```sh\n(npm --prefix [^`]+)```/.exec(guide) ?? [];
  // It takes minutes, so it says what it does.
  expect(shell(project, commands)).toMatch(/shorty: packing cli, .*\nshorty: resolving all dep/);
  tarballs = readdirSync(releaseFolder)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(releaseFolder, name));
}, 120_000);
afterAll(() => rmSync(parent, { recursive: true, force: true }));

function shell(folder: string, script: string): string {
  const npm = { npm_config_prefer_offline: 'true', npm_config_ignore_scripts: 'true' };
  const env = { ...process.env, ...npm, npm_config_audit: 'false' };
  const args = ['-euo', 'pipefail', '-c', script];
  const { status, stderr } = spawnSync('bash', args, { cwd: folder, env, encoding: 'utf8' });
  expect({ script, status, stderr }).toMatchObject({ status: 0 });
  return stderr;
}

test('a release has the tarballs, the changelog, the SBOM and checksums', () => {
  const version = versionOf('server');
  const names = ['cli', 'sdk', 'server', 'webhook-verifier'];
  expect(readdirSync(releaseFolder).sort()).toEqual([
    'CHANGELOG.md',
    'SHA256SUMS',
    `shorty-${version}.cdx.json`,
    ...names.map((name) => `shorty-${name}-${version}.tgz`),
  ]);
  const checked = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: releaseFolder,
    encoding: 'utf8',
  });
  expect(checked).toMatchObject({ status: 0, stderr: '' });
  expect(checked.stdout.trim().split('\n')).toHaveLength(6);
});

test('all packages, the contract, the chart and the changelog have the version of the release', () => {
  const version = versionOf('server');
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  for (const name of readdirSync(join(root, 'packages'))) {
    expect({ name, version: versionOf(name) }).toEqual({ name, version });
  }
  expect(read('openapi.yaml')).toMatch(`\n  version: ${version}\n`);
  expect(read('deploy/helm/Chart.yaml')).toMatch(
    `\nversion: "${version}"\nappVersion: "${version}"\n`,
  );
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});

test('the steps of the release workflow build the image, publish the packages and attach the files', () => {
  const version = versionOf('server');
  const folder = scratchFolder();
  symlinkSync(releaseFolder, join(folder, 'release'));
  symlinkSync(join(root, 'packages'), join(folder, 'packages'));
  // Publishing is tried without a registry. The other programs only record how they are called.
  const record = join(folder, 'calls');
  for (const program of ['docker', 'gh', 'npm', 'npx']) {
    const lines = [
      '#!/usr/bin/env bash',
      `echo "${program} $*" >> ${record}`,
      `if [ "${program} $1" = "npm view" ]; then exit 1; fi`,
      `if [ "${program} $1" = "npm publish" ]; then PATH='${process.env.PATH}' exec npm "$@" --dry-run; fi`,
    ];
    writeFileSync(join(folder, program), lines.join('\n'), { mode: 0o755 });
  }
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env.PATH}`,
    GITHUB_REF_NAME: `v${version}`,
    IMAGE: 'registry.example/Owner/shorty',
  };
  const workflow = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8'));
  for (const { name, run } of workflow.jobs.release.steps) {
    if (run === undefined) continue;
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run];
    const { status, stderr } = spawnSync('bash', args, { cwd: folder, env, encoding: 'utf8' });
    expect({ name, status, stderr }).toMatchObject({ status: 0 });
  }
  const calls = readFileSync(record, 'utf8').trim().split('\n');
  expect(calls).toContain('npm run release');
  const image = calls.find((call) => call.startsWith('docker buildx build')) ?? '';
  expect(image).toContain(
    `--platform linux/amd64,linux/arm64 --push --build-arg VERSION=${version} --build-arg REVISION=`,
  );
  expect(image).toContain(`--tag registry.example/owner/shorty:${version} .`);
  const published = calls.filter((call) => call.startsWith('npm publish'));
  expect(published).toEqual(
    ['webhook-verifier', 'server', 'sdk', 'cli'].map((name) => {
      const tag = version.includes('-') ? 'next' : 'latest';
      return `npm publish ./release/shorty-${name}-${version}.tgz --access public --provenance --tag ${tag}`;
    }),
  );
  const files = readdirSync(releaseFolder).map((name) => `release/${name}`);
  expect(calls.at(-1)).toContain(
    `gh release create v${version} ${files.sort().join(' ')} --verify-tag --`,
  );
});

test('each package installs alone with npm in an empty folder, and all of them work', async () => {
  expect(tarballs).toHaveLength(4);
  const manifests = tarballs.map(manifestIn);
  for (const manifest of manifests) {
    expect(JSON.stringify(manifest)).not.toContain('workspace:');
    expect(manifest).toMatchObject({
      version: versionOf('server'),
      license: 'MIT',
      description: expect.stringMatching(/\S/),
      engines: { node: '>=20.19' },
    });
    expect(manifest.keywords).toContain('shorty');
  }
  for (const tarball of tarballs) {
    expect(filesIn(tarball)).toEqual(
      expect.arrayContaining(['package/LICENSE', 'package/README.md']),
    );
  }

  // The addon that this repository has compiled is copied, because a compiler takes a minute;
  // scripts/test-node-lines.mjs compiles it as npm does.
  const settings = { ignoreScripts: true };
  const isServer = (tarball: string) => tarball.includes('shorty-server-');
  for (const tarball of tarballs.filter((each) => !isServer(each))) {
    installTarballs(scratchFolder(), [tarball], settings);
  }
  const folder = scratchFolder();
  installTarballs(folder, tarballs.filter(isServer), settings);
  installTarballs(folder, tarballs, settings);
  compareWithSbom(installedIn(folder));
  // The server alone takes 8 MB less, and SQLite's compiled module adds 18: at most 100 MB together.
  expect(bytesIn(join(folder, 'node_modules'))).toBeLessThan(92_000_000);
  copyAddon(folder);
  tryWithoutServer(folder, { version: versionOf('server') });
  await tryServer(folder);
});

test('a copy of a project installs its own tarball, without the clone', () => {
  const copy = scratchFolder();
  for (const name of ['package.json', 'package-lock.json', 'vendor']) {
    cpSync(join(project, name), join(copy, name), { recursive: true });
  }
  shell(
    copy,
    `npm ci; node -e "new (require('@shorty/sdk').Shorty)({ baseUrl: 'http://x', apiKey: 'x' })"`,
  );
});

interface Sbom {
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version: string;
  }[];
}

/** The packages that npm installed, as names and versions. */
function installedIn(folder: string): (readonly [string, string])[] {
  const lockfile = readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, { version: string }> };
  return Object.entries(packages).map(
    ([path, { version }]) => [path.replace(/^.*node_modules\//, ''), version] as const,
  );
}

/** Returns the size of the files in a folder. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Expects that the SBOM has the packages that npm installs, and those that ours contain. */
function compareWithSbom(installed: readonly (readonly [string, string])[]): void {
  const text = readFileSync(join(releaseFolder, `shorty-${versionOf('server')}.cdx.json`), 'utf8');
  const { components } = JSON.parse(text) as Sbom;
  const listed = components.map((component) => ({
    version: component.version,
    name: [component.group, component.name].filter(Boolean).join('/'),
  }));
  for (const [name, version] of installed) {
    expect(listed).toContainEqual({ name, version });
  }
  const names = listed.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['ink', 'swagger-ui-dist']));

  // The address of a registry, and folders, differ between machines.
  expect(text).not.toMatch(/https?:\/\/(?!cyclonedx\.org\/)|file:|\/tmp\//);
}

function filesIn(tarball: string): string[] {
  return tar(['-tzf', tarball]).split('\n');
}

function manifestIn(tarball: string): { keywords: string[] } {
  return JSON.parse(tar(['-xzOf', tarball, 'package/package.json']));
}

function tar(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tar ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function copyAddon(folder: string): void {
  const server = createRequire(join(root, 'packages/server/package.json'));
  const path = 'build/Release/better_sqlite3.node';
  const source = join(dirname(server.resolve('better-sqlite3/package.json')), path);
  const target = join(folder, 'node_modules/better-sqlite3', path);
  expect(existsSync(source)).toBe(true);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
}
