import { statSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.js';
import { temporaryFile } from './temporary-database.js';

it('gives the database and its log mode 0600', async () => {
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
