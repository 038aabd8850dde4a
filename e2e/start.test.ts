import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  environmentWithoutSettings,
  exitOf,
  freePort,
  root,
  scratchFolder,
  untilReady,
} from './lib/processes.js';

test('npm start runs a server, prints credentials at the first start only, and stops on SIGTERM', async () => {
  const folder = scratchFolder();
  for (const isFirst of [true, false]) {
    const port = await freePort();
    const child = spawn('npm', ['start'], {
      cwd: root,
      env: {
        ...environmentWithoutSettings(),
        PORT: String(port),
        SHORTY_DATABASE_URL: `file:${folder}/shorty.db`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    await untilReady(`http://localhost:${port}`, child);
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(0);
    expect(stdout).toContain(`http://localhost:${port}`);
    expect(/shorty_cs_/.test(stdout)).toBe(isFirst);
    expect(stdout).toContain('npx shorty urls bulk-create examples/links.csv');
  }
});
