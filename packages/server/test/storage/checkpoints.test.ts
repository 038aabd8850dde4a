import { statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { fileForTest, type TemporaryFile } from './temporary-database.js';

const megabyte = 1024 * 1024;
let file: TemporaryFile;
let serving: Database;
let maintaining: Database;

beforeEach(async () => {
  file = fileForTest();
  const options = { databaseUrl: `file:${file.path}`, durability: 'process' } as const;
  serving = openStorage({ ...options, withoutCheckpoints: true });
  maintaining = openStorage(options);
  await serving.migrate();
});

afterEach(async () => {
  await serving.close();
  await maintaining.close();
});

const rowOf = (bytes: number) => ({
  ...{ organization_id: '', level: 0, stored_at: 0, first_at: 0, last_at: 0 },
  ...{ first_url: 1, last_url: 1, visit_count: 0, visits: new Uint8Array(bytes) },
});

const logBytes = () => statSync(`${file.path}-wal`).size;

async function write(megabytes: number): Promise<void> {
  for (let written = 0; written < megabytes; written += 1) {
    await serving.writeDirectly((transaction) =>
      transaction.insertInto('visits').values(rowOf(megabyte)).execute(),
    );
  }
}

const countBatches = async () =>
  (await serving.read.selectFrom('visits').select('id').execute()).length;

describe('a handle without checkpoints', () => {
  it('writes to an empty log after a checkpoint of another handle, without losing data', async () => {
    await write(48);
    maintaining.maintain?.();
    expect(logBytes()).toBe(0);
    await write(1);
    expect(logBytes()).toBeLessThan(3 * megabyte);
    expect(statSync(file.path).size).toBeGreaterThan(40 * megabyte);
    expect(await countBatches()).toBe(49);
  });
});
