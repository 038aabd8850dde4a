import { statSync } from 'node:fs';
import SqliteHandle from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { type TemporaryFile, temporaryFile } from './temporary-database.js';

const megabyte = 1024 * 1024;
let file: TemporaryFile;
let serving: Database;
let maintaining: Database;

beforeEach(async () => {
  file = temporaryFile();
  const databasePath = file.path;
  serving = openStorage({
    databaseUrl: `file:${databasePath}`,
    durability: 'process',
    withoutCheckpoints: true,
  });
  maintaining = openStorage({ databaseUrl: `file:${databasePath}`, durability: 'process' });
  await serving.migrate();
});

afterEach(async () => {
  await serving.close();
  await maintaining.close();
  file.remove();
});

const logBytes = () => statSync(`${file.path}-wal`).size;

async function write(megabytes: number): Promise<void> {
  for (let written = 0; written < megabytes; written += 1) {
    await serving.writeDirectly((transaction) =>
      transaction
        .insertInto('visit_batches')
        .values({ created_at: written, visit_count: 0, visits: new Uint8Array(megabyte) })
        .execute(),
    );
  }
}

const countBatches = async () =>
  (await serving.read.selectFrom('visit_batches').select('id').execute()).length;

describe('a handle without checkpoints', () => {
  it('makes no checkpoint, however large the log grows', async () => {
    await write(48);
    expect(logBytes()).toBeGreaterThan(48 * megabyte);
    expect(statSync(file.path).size).toBeLessThan(10 * megabyte);
  });

  it('writes to an empty log after a checkpoint of another handle, without losing data', async () => {
    await write(48);
    await maintaining.maintain();
    expect(logBytes()).toBe(0);
    await write(1);
    expect(logBytes()).toBeLessThan(3 * megabyte);
    expect(statSync(file.path).size).toBeGreaterThan(40 * megabyte);
    expect(await countBatches()).toBe(49);
  });

  it('leaves the truncation of a log that a checkpoint has emptied to the next one', async () => {
    await write(48);
    const other = new SqliteHandle(file.path);
    other.pragma('wal_checkpoint(PASSIVE)');
    other.close();
    await write(1);
    expect(logBytes()).toBeGreaterThan(48 * megabyte);
    await maintaining.maintain();
    expect(logBytes()).toBe(0);
    expect(await countBatches()).toBe(49);
  });

  it('does not prevent a checkpoint while it writes', async () => {
    await write(48);
    await serving.writeDirectly(async (transaction) => {
      await transaction
        .insertInto('visit_batches')
        .values({ created_at: 0, visit_count: 0, visits: new Uint8Array(1) })
        .execute();
      await maintaining.maintain();
    });
    expect(statSync(file.path).size).toBeGreaterThan(40 * megabyte);
    expect(await countBatches()).toBe(49);
  });

  it('gets no checkpoint while the log is short', async () => {
    await write(8);
    await maintaining.maintain();
    expect(statSync(file.path).size).toBeLessThan(megabyte);
  });
});
