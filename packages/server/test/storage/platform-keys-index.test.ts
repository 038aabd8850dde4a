import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Schema } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { type EmptyDatabase, emptyDatabase, engine } from '../engine.js';

let empty: EmptyDatabase;
beforeEach(async () => {
  empty = await emptyDatabase();
});
afterEach(() => empty.remove());

async function findIndexes(db: Kysely<Schema>): Promise<string[]> {
  const query =
    engine() === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'index'`
      : sql<{ name: string }>`select indexname as name from pg_indexes`;
  const { rows } = await query.execute(db);
  return rows.map(({ name }) => name).filter((name) => /^url_keys_.*folded$/.test(name));
}

/** Starts as a server does, and returns the indexes of keys without regard to case. */
async function start(ignoreCase?: boolean): Promise<string[]> {
  const database = openStorage({
    databaseUrl: empty.databaseUrl,
    durability: 'process',
    ignoreCase,
  });
  try {
    await database.migrate();
    return (await findIndexes(database.read)).sort();
  } finally {
    await database.close();
  }
}

describe('the index of the platform’s keys without regard to case', () => {
  it('exists while the setting is on, and stays as it is without the setting', async () => {
    const both = ['url_keys_folded', 'url_keys_platform_folded'];
    expect(await start(false)).toEqual(['url_keys_folded']);
    expect(await start(true)).toEqual(both);
    expect(await start(true)).toEqual(both);
    expect(await start()).toEqual(both);
    expect(await start(false)).toEqual(['url_keys_folded']);
  });

  it('is created by servers that start at once', async () => {
    await start(false);
    // A file has one server.
    const servers = engine() === 'sqlite' ? 1 : 3;
    const started = await Promise.all(Array.from({ length: servers }, () => start(true)));
    for (const indexes of started) expect(indexes).toContain('url_keys_platform_folded');
  });
});
