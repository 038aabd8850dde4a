import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../packages/server/test/operator/server-process.js';
import { root, scratchFolder } from './lib/processes.js';

/** Starts the demo. Returns the parent of its temporary folder, too. */
function startDemo() {
  const folder = scratchFolder();
  const env = {
    ...process.env,
    TMPDIR: folder,
    HOME: folder,
    // Settings of another server, which the demo must ignore.
    SHORTY_BASE_URL: 'http://127.0.0.1:9',
    SHORTY_DATABASE_URL: 'file:/nowhere/shorty.db',
  };
  return { folder, ...runScript([join(root, 'scripts/demo.mjs')], { cwd: root, env }) };
}

test('npm run demo shows every feature and deletes its files', async () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts.demo).toBe('node scripts/demo.mjs');
  const demo = startDemo();
  const { code, stdout, stderr } = await demo.ended;
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
  const [, origin] = await demo.until(/It listens on (\S+)/);
  demo.child.kill('SIGTERM');
  const { code, stderr } = await demo.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/the demo failed at step \d: interrupted\n$/);
  expect(readdirSync(demo.folder)).toEqual([]);
  await expect(fetch(`${origin}/health/live`)).rejects.toThrow('fetch failed');
});
