import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, scratchFolder, tool } from '../lib/processes.js';
import { checkSharedStore } from '../lib/shared-receivers.js';

test('receivers that share a Redis handle each delivery once', async () => {
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir'];
  const redis = spawn(tool('redis-server'), [...flags, scratchFolder()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    redis.kill('SIGKILL');
  });
  let log = '';
  redis.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  await expect.poll(() => log, { message: 'Redis starts' }).toContain('Ready to accept');
  await checkSharedStore(`redis://127.0.0.1:${port}`);
});
