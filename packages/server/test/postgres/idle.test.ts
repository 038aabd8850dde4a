import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { createServer } from '../../src/create-server.js';
import { emptyDatabase } from '../engine.js';
import { poll } from '../poll.js';

it('an idle node sends at most five statements a second', async () => {
  const { databaseUrl, journalFolder, remove } = await emptyDatabase();
  const server = createServer({ databaseUrl, journalFolder });
  // PostgreSQL counts transactions, and each statement of an idle node is one.
  const observer = new pg.Client({ connectionString: inject('postgres')?.adminUrl });
  await observer.connect();
  const count = async () => {
    const { rows } = await observer.query(
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = $1',
      [new URL(databaseUrl).pathname.slice(1)],
    );
    return Number(rows[0].count);
  };
  const countsAfter = async (more: number) => {
    const before = await count();
    await poll('statements', count, (now) => now >= before + more);
  };
  try {
    await server.start();
    // PostgreSQL counts the statements of the start late, so they may be in the first measurement.
    const secondsOf45 = async () => {
      const startedAt = performance.now();
      await countsAfter(45);
      return (performance.now() - startedAt) / 1_000;
    };
    await expect.poll(secondsOf45, { timeout: 50_000 }).toBeGreaterThan(45 / 5);
  } finally {
    await server.stop();
    await observer.end();
    await remove();
  }
});
