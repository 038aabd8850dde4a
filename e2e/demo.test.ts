import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root, scratchFolder } from './lib/processes.js';

interface Demo {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  /** The parent of the demo's temporary folder. */
  readonly folder: string;
  /** Resolves after all output has been read. */
  readonly exitCode: Promise<number | null>;
}

function startDemo(): Demo {
  const folder = scratchFolder();
  const child = spawn(process.execPath, [join(root, 'scripts/demo.mjs')], {
    cwd: root,
    env: {
      ...process.env,
      TMPDIR: folder,
      HOME: folder,
      // Settings of another server, which the demo must ignore.
      SHORTY_BASE_URL: 'http://127.0.0.1:9',
      SHORTY_DATABASE_URL: 'file:/nowhere/shorty.db',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const exitCode = once(child, 'close').then(() => child.exitCode);
  return { child, output, folder, exitCode };
}

async function untilItListens({ child, output }: Demo): Promise<string> {
  const listens = /It listens on (\S+)/;
  await expect
    .poll(() => child.exitCode !== null || listens.test(output.stdout), { timeout: 60_000 })
    .toBe(true);
  return listens.exec(output.stdout)?.[1] ?? '';
}

test('npm run demo shows every feature and deletes its files', async () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts.demo).toBe('node scripts/demo.mjs');
  const demo = startDemo();
  const code = await demo.exitCode;
  const { stdout, stderr } = demo.output;
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('\n$ npx shorty urls bulk-create examples/links.csv\n');
  expect(stdout).toContain('1,029 rows: 1,014 created, 15 failed');
  expect(stderr).toContain(
    'line 39: targetUrl is "example.com/no-scheme": it must start with http:// or https://',
  );
  expect(stderr).toMatch(/image written to \S+\/oxygen\.png/);
  expect(stdout).toMatch(/It has [\d,]+ bytes/);
  expect(stdout.match(/^307 {2}\//gm)).toHaveLength(8);
  for (const line of [
    /^verified qr\.created /m,
    /^verified url\.click_threshold /m,
    /^refused signature_mismatch$/m,
  ]) {
    expect(stdout).toMatch(line);
  }
  expect(stdout).toContain('The forged request got status 401');
  expect(stdout).toContain(
    '\n6 clicks (0 before)   6 unique visitors (0 before)   6 addresses (0 before)\n',
  );
  expect(stdout).toContain('\n1,014 links   1,014 active links   1 QR code   1 scan (0 before)\n');
  expect(stdout).toContain('The demo is finished, and its files are deleted.');
  expect(readdirSync(demo.folder)).toEqual([]);
});

test('an interrupted demo stops its server', async () => {
  const demo = startDemo();
  const origin = await untilItListens(demo);
  demo.child.kill('SIGTERM');
  expect(await demo.exitCode).toBe(1);
  expect(demo.output.stderr).toMatch(/the demo failed at step \d: interrupted\n$/);
  expect(readdirSync(demo.folder)).toEqual([]);
  await expect(fetch(`${origin}/health/live`)).rejects.toThrow('fetch failed');
});
