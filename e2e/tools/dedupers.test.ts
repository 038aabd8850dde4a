import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { postgresSchema } from '../../examples/dedupe-postgres.mjs';
import { startPostgres } from '../../packages/server/test/postgres/start-postgres.js';
import { freePort, scratchFolder, startTool } from '../lib/processes.js';
import { checkSharedStore } from '../lib/shared-receivers.js';

test('receivers that share a file of SQLite handle each delivery once', async () => {
  await checkSharedStore(`file:${join(scratchFolder(), 'deliveries.db')}`);
});

test('receivers that share a PostgreSQL handle each delivery once', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  await postgres.createDatabase('receivers');
  await postgres.query(postgresSchema, 'receivers');
  await checkSharedStore(postgres.urlOf('receivers'));
  const rows = await postgres.query('SELECT DISTINCT state FROM webhook_deliveries', 'receivers');
  expect(rows).toEqual([{ state: 'done' }]);
});

test('receivers that share a Redis handle each delivery once', async () => {
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir'];
  await startTool('redis-server', [...flags, scratchFolder()], port);
  await checkSharedStore(`redis://127.0.0.1:${port}`);
});
