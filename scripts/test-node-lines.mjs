// Installs the packed packages under each supported line of Node, as users of npm do, and tries
// them. SQLite is compiled for each line: that needs a C++ compiler and takes about a minute.
// `node scripts/test-node-lines.mjs 24` tries one line.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './bootstrap.mjs';
import { pack, versionOf } from './pack.mjs';
import { installTarballs, tryServer, tryWithoutServer } from './try-packages.mjs';

// The oldest line is tried at the oldest minor version that `engines` allows.
const supportedLines = ['20.19', '22', '24'];
const lines = process.argv.length > 2 ? process.argv.slice(2) : supportedLines;

const scratch = mkdtempSync(join(tmpdir(), 'shorty-node-lines-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const tarballs = pack(join(scratch, 'release'));
const version = versionOf('server');

for (const line of lines) {
  const startedAt = performance.now();
  const home = fetchNode(line);
  const node = join(home, 'bin/node');
  const folder = emptyFolder(`packages-${line}`);
  // The npm package of Node has the headers that the compiler needs, so nothing else is fetched.
  installTarballs(folder, Object.values(tarballs), {
    node,
    env: { npm_config_nodedir: home },
  });
  tryWithoutServer(folder, { node, version });
  await tryServer(folder, { node });
  rmSync(folder, { recursive: true });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`ok  Node ${line}: server, CLI, SDK and verifier (${seconds} s)`);
}

/** Installs the newest Node of a line in a folder of its own, and returns the folder of its files. */
function fetchNode(line) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = emptyFolder(`node-${line}`);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['install', ...flags, `${name}@${line}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(folder, 'node_modules', name);
}

function emptyFolder(name) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return folder;
}
