import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../lib/processes.js';

test('Specmatic finds no difference between the server and openapi.yaml', async () => {
  const child = spawn(process.execPath, [join(root, 'scripts/specmatic.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let differences = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    differences += text;
  });
  await once(child, 'close');
  expect(differences).toBe('');
  expect(child.exitCode).toBe(0);
});
