import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pack, versionOf } from '../scripts/pack.mjs';
import { installTarballs, tryServer, tryWithoutServer } from '../scripts/try-packages.mjs';
import { root, scratchFolder } from './lib/processes.js';

test('the packed packages install with npm in an empty folder and work', async () => {
  const tarballs = Object.values(pack(join(scratchFolder(), 'release')));
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

  const folder = scratchFolder();
  // The addon that this repository has compiled is copied, because a compiler takes a minute;
  // scripts/test-node-lines.mjs compiles it as npm does.
  installTarballs(folder, tarballs, { ignoreScripts: true });
  copyAddon(folder);
  tryWithoutServer(folder, { version: versionOf('server') });
  await tryServer(folder);
});

test('a plain npm pack of the server makes a tarball that npm can install', () => {
  const folder = scratchFolder();
  const { status, stderr } = spawnSync('npm', ['pack', '--pack-destination', folder], {
    cwd: join(root, 'packages/server'),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const tarball = join(folder, `shorty-server-${versionOf('server')}.tgz`);
  expect(JSON.stringify(manifestIn(tarball))).not.toContain('workspace:');
  expect(filesIn(tarball)).toContain('package/dist/bin.js');
});

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
