import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, scratchFolder } from './lib/processes.js';

/** Runs a test file with the reporter in a separate process group, and returns its output. */
async function report(testFile: string): Promise<{ code: number | null; lines: string[] }> {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'shorty-server.js'), 'setInterval(() => {}, 60_000);');
  for (const name of ['a', 'b']) writeFileSync(join(folder, `${name}.test.js`), testFile);
  const reporter = join(root, 'scripts/closing-line-reporter.ts');
  const child = spawn(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--root', folder, '--globals', '--reporter', reporter],
    { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  return { code: child.exitCode, lines: output.trimEnd().split('\n') };
}

/** Returns the command line of a process, or an empty text after its end. */
function commandLineOf(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

test('a run closes with its counts', async () => {
  const { code, lines } = await report(`
    test('passes', () => {});
    test.skip('is skipped', () => {});
  `);
  expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '2 passed, 0 failed, 2 skipped' });
});

test('a server that a test leaves running counts as a failure, and is killed', async () => {
  const { code, lines } = await report(`
    import { spawn } from 'node:child_process';
    import { once } from 'node:events';
    test('passes', async () => {
      const env = { ...process.env, SHORTY_DATABASE_URL: 'file:abandoned.db' };
      const server = spawn(process.execPath, ['shorty-server.js', 'start'], { env });
      await once(server, 'spawn');
    });
  `);
  const found = lines.filter((line) => line.startsWith('A test left its server running'));
  expect({ code, last: lines.at(-1) }).toEqual({
    code: 1,
    last: `2 passed, ${found.length} failed`,
  });
  expect(found.length).toBeGreaterThan(0);
  for (const line of found) {
    expect(line).toContain('SHORTY_DATABASE_URL=file:abandoned.db');
    const [, pid] = /process (\d+)/.exec(line) ?? [];
    await expect.poll(() => commandLineOf(Number(pid))).toBe('');
  }
});
