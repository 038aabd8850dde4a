import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../../packages/server/test/postgres/start-postgres.js';
import { freePort, scratchFolder, startServer } from './processes.js';

/** Retries deliveries soon, so that tests need not wait. */
export const quickRetries = {
  SHORTY_ALLOW_PRIVATE_NETWORK: '1',
  SHORTY_WEBHOOK_RETRY_SCHEDULE: '0.2,0.5,1,2,5,5,5,5',
  SHORTY_RATE_LIMIT: '0',
  // Nodes log each error that a test causes.
  SHORTY_LOG_LEVEL: 'fatal',
};

/**
 * Starts a server with a separate port and journal, like on a separate machine. Its storage is a
 * SQLite file, or else a database of PostgreSQL.
 */
export async function newNode(postgres?: PostgresServer, database = 'nodes') {
  const folder = join(scratchFolder(), 'node');
  mkdirSync(folder);
  const environment = {
    ...quickRetries,
    ...(postgres && { SHORTY_DATABASE_URL: postgres.urlOf(database) }),
    SHORTY_JOURNAL_FOLDER: join(folder, 'visits'),
  };
  const settings = { port: await freePort(), folder, environment };
  let server = await startServer(settings);
  return {
    origin: server.origin,
    environment,
    kill: () => server.kill(),
    stop: () => server.stop(),
    async restart() {
      server = await startServer(settings);
    },
  };
}

export type Node = Awaited<ReturnType<typeof newNode>>;
