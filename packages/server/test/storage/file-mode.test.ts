import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.js';
import { fileForTest } from './temporary-database.js';

it('gives the database and its log mode 0600', async () => {
  const file = fileForTest();
  const database = openStorage({ databaseUrl: `file:${file.path}`, durability: 'process' });
  onTestFinished(() => database.close());
  await database.migrate();
  for (const path of [file.path, `${file.path}-wal`, `${file.path}-shm`]) {
    expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
  }
});

it('creates the key file completely, with mode 0600, and never replaces it', async () => {
  const file = fileForTest();
  const database = openStorage({ databaseUrl: `file:${file.path}`, durability: 'process' });
  onTestFinished(() => database.close());
  expect(await database.loadKey('first')).toBe('first');
  expect(await database.loadKey('second')).toBe('first');
  const keyPath = `${file.path}.key`;
  expect([readFileSync(keyPath, 'utf8'), statSync(keyPath).mode & 0o777]).toEqual(['first', 0o600]);
  expect(readdirSync(dirname(file.path)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  // An empty key would make stored secrets readable.
  writeFileSync(keyPath, '\n');
  await expect(database.loadKey('third')).rejects.toThrow(`${keyPath} is empty`);
});
