import { statSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.js';
import { temporaryFile } from './temporary-database.js';

it('keeps the database and its log for their owner alone', async () => {
  const file = temporaryFile();
  const database = openStorage({ databaseUrl: `file:${file.path}`, durability: 'process' });
  onTestFinished(async () => {
    await database.close();
    file.remove();
  });
  await database.migrate();
  for (const path of [file.path, `${file.path}-wal`, `${file.path}-shm`]) {
    expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
  }
});
