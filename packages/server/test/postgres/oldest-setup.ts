import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { provide } from './global-setup.js';
import { startPostgres } from './start-postgres.js';

const oldestVersion = 15;

/** Starts the oldest PostgreSQL that is supported, which `.ci/tools` provides. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { SHORTY_TOOLS: folder } = process.env;
  if (!folder) throw new Error('SHORTY_TOOLS is missing: run npm run test:more');
  const server = await startPostgres(undefined, realpathSync(join(folder, 'postgres-15')));
  const [row] = await server.query<{ server_version: string }>('show server_version');
  const version = Number.parseInt(row?.server_version ?? '', 10);
  if (version === oldestVersion) return provide(project, server);
  await server.stop();
  throw new Error(`postgres-15 is PostgreSQL ${version}, and must be ${oldestVersion}`);
}
