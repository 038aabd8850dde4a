import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type SqliteHandle from 'better-sqlite3';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../test/scratch-folder.js';
import { checkAccess, followLinks, useWriteAheadLog } from './sqlite-file.js';

it('follows links to a file, and refuses one that leads nowhere', () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'disk'));
  symlinkSync('disk', join(folder, 'data'));
  // Relative to the folder that `data` leads to.
  symlinkSync('../real.db', join(folder, 'disk', 'second.db'));
  symlinkSync(join(folder, 'data', 'second.db'), join(folder, 'first.db'));
  const real = join(folder, 'real.db');
  expect(() => followLinks(join(folder, 'first.db'))).toThrow(/leads to no file/);
  writeFileSync(real, '');
  expect(followLinks(join(folder, 'first.db'))).toBe(real);
  for (const path of [real, './data/x.db', join(folder, 'data', 'x.db')]) {
    expect(followLinks(path)).toBe(path);
  }
});

it('a folder and a special file are no databases, and a missing file may become one', () => {
  const folder = scratchFolder();
  expect(() => checkAccess(folder)).toThrow('it is a folder, and must be the path of a file');
  expect(() => checkAccess('/dev/null')).toThrow('it is not a regular file');
  checkAccess(join(folder, 'missing.db'));
  checkAccess(join(folder, 'missing', 'missing.db'));
});

it('refuses a file for which SQLite has no write-ahead log', () => {
  const handle = { pragma: () => 'delete', memory: false, close: () => {} };
  expect(() => useWriteAheadLog(handle as unknown as SqliteHandle.Database)).toThrow(
    'SQLite cannot use a write-ahead log there (journal mode "delete")',
  );
});
