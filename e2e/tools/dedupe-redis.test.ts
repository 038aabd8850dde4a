import { test } from 'vitest';
import { freePort, scratchFolder, startTool } from '../lib/processes.js';
import { checkSharedStore } from '../lib/shared-receivers.js';

test('receivers that share a Redis handle each delivery once', async () => {
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir'];
  await startTool('redis-server', [...flags, scratchFolder()], port);
  await checkSharedStore(`redis://127.0.0.1:${port}`);
});
