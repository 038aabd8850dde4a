import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { root, scratchFolder, serveShorty } from './processes.mjs';

/** Starts the PostgreSQL of the tests with its default settings, so that each commit calls fsync. */
export async function startDefaultPostgres() {
  // Node 20 cannot load TypeScript. The packages that it imports are those of the server.
  const server = join(root, 'packages/server');
  const outfile = join(server, 'node_modules/.cache/start-postgres.mjs');
  const entryPoints = [join(server, 'test/postgres/start-postgres.ts')];
  const options = { bundle: true, packages: 'external', format: 'esm', platform: 'node' };
  buildSync({ ...options, entryPoints, outfile });
  const { startPostgres } = await import(outfile);
  return startPostgres([]);
}

/** Starts a node on a PostgreSQL database, with its journal in a separate folder. */
export function serveNode(databaseUrl, environment) {
  const own = { SHORTY_DATABASE_URL: databaseUrl, SHORTY_JOURNAL_FOLDER: scratchFolder() };
  return serveShorty({ ...own, ...environment });
}
