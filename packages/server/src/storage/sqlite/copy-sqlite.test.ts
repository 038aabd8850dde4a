import SqliteHandle from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFile } from '../../../test/storage/temporary-database.js';
import { findIntegrityErrors } from './copy-sqlite.js';

it('examines one snapshot of a file that is in use', () => {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  const writer = new SqliteHandle(file.path);
  onTestFinished(() => {
    writer.close();
  });
  writer.exec(`pragma journal_mode = wal; pragma foreign_keys = off;
    create table links (id integer primary key);
    create table codes (link_id integer references links (id));
    insert into codes values (1); begin immediate; insert into links values (1)`);
  const orphan = ['a row of codes refers to a missing row of links'];
  expect(findIntegrityErrors(file.path)).toEqual(orphan);
  writer.exec('commit');
  expect(findIntegrityErrors(file.path)).toEqual([]);
});
