import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL to run on; undefined where tests run on SQLite. */
    postgres: { readonly adminUrl: string; readonly template: string } | undefined;
  }
}

export interface EmptyDatabase {
  readonly databaseUrl: string;
  /** The folder of the visit journals. */
  readonly journalFolder: string;
  remove(): Promise<void>;
}

export const engine = () => (inject('postgres') ? 'postgres' : 'sqlite');

/** Creates an empty database on the engine under test. On PostgreSQL it has tables already. */
export async function emptyDatabase({ isMigrated = true } = {}): Promise<EmptyDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-test-'));
  const removeFolder = async () => rmSync(folder, { recursive: true, force: true });
  const journalFolder = join(folder, 'visits');
  const postgres = inject('postgres');
  if (!postgres) {
    const databaseUrl = `file:${join(folder, 'shorty.db')}`;
    return { databaseUrl, journalFolder, remove: removeFolder };
  }
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(
    postgres.adminUrl,
    `create database ${name} template ${isMigrated ? postgres.template : 'template1'}`,
  );
  return {
    databaseUrl: postgres.adminUrl.replace(/[^/]+$/, name),
    journalFolder,
    async remove() {
      await administer(postgres.adminUrl, `drop database ${name} with (force)`);
      await removeFolder();
    },
  };
}

/** Creates an empty database, which is removed after the test. */
export async function databaseForTest() {
  const { remove, ...settings } = await emptyDatabase();
  onTestFinished(remove);
  return settings;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
