import type { TestProject } from 'vitest/node';
import { openStorage } from '../../src/storage/open-storage.js';
import { startPostgres } from './start-postgres.js';

const template = 'template_of_tests';

/** Starts one PostgreSQL for all test files. Each test copies a migrated template database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await server.createDatabase(template);
  const database = openStorage({ databaseUrl: server.urlOf(template), durability: 'process' });
  await database.migrate();
  await database.close();
  project.provide('postgres', { adminUrl: server.urlOf('postgres'), template });
  return () => server.stop();
}
