import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { openRepository, type Stored, temporaryFile } from './temporary-database.js';

const count = async (db: Database['read']) =>
  (await db.selectFrom('visits').select('id').execute()).length;

const addBatch = (database: Database) =>
  database.writeDirectly((transaction) =>
    transaction
      .insertInto('visits')
      .values({
        ...{ organization_id: '', level: 0, stored_at: 0, first_at: 0, last_at: 0 },
        ...{ first_url: 1, last_url: 1, visit_count: 0, visits: new Uint8Array(1) },
      })
      .execute(),
  );

describe('a snapshot', () => {
  let stored: Stored;
  beforeEach(async () => {
    stored = await openRepository();
  });
  afterEach(() => stored.close());

  it('has all writes before it, and none that follow', async () => {
    const { database } = stored;
    for (let batches = 0; batches < 5; batches += 1) {
      const counts = await database.snapshot(async (db) => {
        const first = await count(db);
        await addBatch(database);
        return [first, await count(db)];
      });
      expect(counts).toEqual([batches, batches]);
    }
  });

  it('does not change beside others that began later', async () => {
    const { database } = stored;
    // Each one begins within the one before, and adds a row.
    const nested = (depth: number): Promise<number[]> =>
      database.snapshot(async (db) => {
        await count(db);
        await addBatch(database);
        const later = depth > 1 ? await nested(depth - 1) : [];
        return [await count(db), ...later];
      });
    expect(await nested(3)).toEqual([0, 1, 2]);
    expect(await nested(3)).toEqual([3, 4, 5]);
  });

  it('works after one that failed', async () => {
    const { database } = stored;
    await database.snapshot(count);
    const failing = database.snapshot(async (db) => {
      await db
        .selectFrom('no_such_table' as 'urls')
        .selectAll()
        .execute();
    });
    await expect(failing).rejects.toThrow('no_such_table');
    await addBatch(database);
    expect(await database.snapshot(count)).toBe(1);
  });
});

it('closing a file closes the handles of past and of current snapshots', async () => {
  const file = temporaryFile();
  const database = openStorage({ databaseUrl: `file:${file.path}`, durability: 'process' });
  await database.migrate();
  // Kysely closes only what it has used.
  await count(database.read);
  await Promise.all([1, 2, 3, 4].map(() => database.snapshot(count)));
  await database.snapshot(async () => {
    await addBatch(database);
    await database.close();
    // The snapshot's handle still needs the log.
    expect(existsSync(`${file.path}-wal`)).toBe(true);
  });
  // SQLite deletes the log when the last handle closes.
  expect(existsSync(`${file.path}-wal`)).toBe(false);
  file.remove();
});
