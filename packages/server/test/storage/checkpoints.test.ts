import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
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

/** Begins to read, as a report or a backup does. */
function startReport(): SqliteHandle.Database {
  const report = new SqliteHandle(file.path, { readonly: true });
  report.exec('begin');
  report.prepare('select count(*) from visits').get();
  return report;
}

/** Fails if a thread that begins transactions meanwhile finds the database locked. */
async function expectNoLock(work: () => Promise<void>): Promise<void> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    const handle = new (require(workerData.driver))(workerData.path, { timeout: 0 });
    const counts = { locked: 0, written: 0 };
    let isStopped = false;
    const write = () => {
      try {
        handle.exec('begin immediate; rollback');
        counts.written += 1;
      } catch (error) {
        if (error.code !== 'SQLITE_BUSY') throw error;
        counts.locked += 1;
      }
      if (!isStopped) return setImmediate(write);
      handle.close();
      parentPort.postMessage(counts);
    };
    parentPort.once('message', () => {
      isStopped = true;
    });
    parentPort.postMessage('ready');
    write();
  `;
  const driver = createRequire(import.meta.url).resolve('better-sqlite3');
  const worker = new Worker(code, { eval: true, workerData: { driver, path: file.path } });
  try {
    await once(worker, 'message');
    await work();
    worker.postMessage('stop');
    const [{ locked, written }] = await once(worker, 'message');
    expect(written).toBeGreaterThan(0);
    expect(locked).toBe(0);
  } finally {
    await worker.terminate();
  }
}

const countBatches = async () =>
  (await serving.read.selectFrom('visits').select('id').execute()).length;

/** Fails if the log is not truncated after the end of a report, or has lost one of 48 batches. */
async function expectTruncationAfter(report: SqliteHandle.Database): Promise<void> {
  report.close();
  await maintaining.maintain();
  expect(logBytes()).toBe(0);
  expect(await countBatches()).toBe(48);
}

describe('a handle without checkpoints', () => {
  it('writes to an empty log after a checkpoint of another handle, without losing data', async () => {
    await write(48);
    await maintaining.maintain();
    expect(logBytes()).toBe(0);
    await write(1);
    expect(logBytes()).toBeLessThan(3 * megabyte);
    expect(statSync(file.path).size).toBeGreaterThan(40 * megabyte);
    expect(await countBatches()).toBe(49);
  });

  it('lets others write between attempts to truncate a log that a report reads', async () => {
    await write(48);
    const report = startReport();
    // An attempt that fails, a pause of one period, and another attempt.
    for (let period = 0; period < 3; period += 1) await maintaining.maintain();
    await expectNoLock(async () => {
      for (let period = 0; period < 3; period += 1) await maintaining.maintain();
    });
    expect(logBytes()).toBeGreaterThan(48 * megabyte);
    await expectTruncationAfter(report);
  });
});
