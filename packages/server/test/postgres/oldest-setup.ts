import type { TestProject } from 'vitest/node';
import { provide } from './global-setup.js';
import { startPostgres } from './start-postgres.js';

const oldestVersion = 15;

/** Starts the oldest PostgreSQL that is supported, from the folder that `npm run test:more` names. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { SHORTY_OLDEST_POSTGRES: installed } = process.env;
  if (!installed) throw new Error('SHORTY_OLDEST_POSTGRES is missing: run npm run test:more');
  const server = await startPostgres(undefined, installed);
  const [row] = await server.query<{ server_version: string }>('show server_version');
  const version = Number.parseInt(row?.server_version ?? '', 10);
  if (version === oldestVersion) return provide(project, server);
  await server.stop();
  throw new Error(`SHORTY_OLDEST_POSTGRES is PostgreSQL ${version}, and must be ${oldestVersion}`);
}
