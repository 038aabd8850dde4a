// Loaded with --import by list-thread.test.ts: prints each statement that the main thread prepares.
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import SqliteHandle from 'better-sqlite3';

if (isMainThread) {
  const { prepare } = SqliteHandle.prototype;
  SqliteHandle.prototype.prepare = function (text) {
    writeSync(2, `main thread prepares: ${text.replaceAll(/\s+/g, ' ')}\n`);
    return prepare.call(this, text);
  };
}
