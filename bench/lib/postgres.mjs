import { register } from 'node:module';
import { scratchFolder, serveShorty } from './processes.mjs';

/** Starts the PostgreSQL of the tests with its default settings, so that each commit calls fsync. */
export async function startDefaultPostgres() {
  register('./typescript-hooks.mjs', import.meta.url);
  const { startPostgres } = await import('../../packages/server/test/postgres/start-postgres.ts');
  return startPostgres([]);
}

/** Starts a node on a PostgreSQL database, with its journal in a separate folder. */
export function serveNode(databaseUrl, environment = {}) {
  return serveShorty({
    SHORTY_DATABASE_URL: databaseUrl,
    SHORTY_JOURNAL_FOLDER: scratchFolder(),
    ...environment,
  });
}
