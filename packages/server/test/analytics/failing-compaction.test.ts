import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../api/start-server.js';

it('logs a failing compaction as such, and stays ready, because visits are stored', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const api = await startServer({ logger });
  onTestFinished(api.stop);
  const { read } = api.server.database;
  await sql`drop table visit_compactions`.execute(read);
  const { data } = await api.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0' };
  expect((await api.visit(`/${data.shortCode}`, { headers })).status).toBe(307);
  const failures = () =>
    lines.filter(({ msg, service }) => msg === 'work on visits failed' && service === 'compaction');
  await expect.poll(failures, { message: 'the failure in the log' }).toHaveLength(1);
  const batches = () => read.selectFrom('visit_batches').select('visit_count').execute();
  await expect.poll(batches, { message: 'the stored visit' }).toEqual([{ visit_count: 1 }]);
  expect(lines.filter(({ msg }) => String(msg).startsWith('visit ingest'))).toEqual([]);
  expect((await fetch(`${api.server.url}/health/ready`)).status).toBe(200);
});
