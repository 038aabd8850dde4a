import type { TestProject } from 'vitest/node';
import { openStorage } from '../../src/storage/open-storage.js';
import { type PostgresServer, startPostgres } from './start-postgres.js';

const template = 'template_of_tests';

/** Starts one PostgreSQL for all test files. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  return provide(project, await startPostgres());
}

/** Lets each test copy a migrated template database of a server. Returns how to stop the server. */
export async function provide(
  project: TestProject,
  server: PostgresServer,
): Promise<() => Promise<void>> {
  await server.createDatabase(template);
  const database = openStorage({ databaseUrl: server.urlOf(template), durability: 'process' });
  await database.migrate();
  await database.close();
  project.provide('postgres', { adminUrl: server.urlOf('postgres'), template });
  return () => server.stop();
}
