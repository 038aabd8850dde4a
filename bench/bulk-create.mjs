// Bulk create over HTTP, against better-sqlite3 inserting the same rows in one process.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { bulkCreator, perRequest, randomCode, searchTextOf, targetOf } from './lib/bulk-rows.mjs';
import { scratchFolder, serveShorty } from './lib/processes.mjs';
import { compare, report } from './lib/ratio.mjs';

export async function benchBulkCreate({ rows = 40_000, runs = 7, bound = 0.4 } = {}) {
  const shorty = await serveShorty();
  const bulk = bulkCreator(shorty);
  const bare = bareInserter(shorty.databasePath);
  const result = await compare({
    ceiling: () => bare.insert(rows),
    ours: () => bulk.create(rows),
    runs,
  });
  report('bulk create over HTTP, 100 a request', result, bound, 'rows a second');
  bare.close();
  await bulk.close();
  await shorty.stop();
}

/** As long as the event of a new link. */
const eventBody = JSON.stringify({ data: 'x'.repeat(950) });

/** Creates a database with the server's tables, indexes and settings, and inserts into it. */
function bareInserter(databasePath) {
  const folder = scratchFolder();
  const source = new Database(databasePath, { readonly: true });
  const schema = source
    .prepare("select sql from sqlite_master where sql is not null and name not like 'sqlite_%'")
    .all();
  const organization = source.prepare('select * from organizations').get();
  source.close();
  const path = join(folder, 'bare.db');
  const db = new Database(path);
  for (const setting of [
    'journal_mode = WAL',
    'synchronous = NORMAL',
    'foreign_keys = ON',
    'wal_autocheckpoint = 8000',
    'cache_size = -65536',
  ]) {
    db.pragma(setting);
  }
  for (const { sql } of schema) db.exec(sql);
  const columns = Object.keys(organization);
  db.prepare(
    `insert into organizations (${columns}) values (${columns.map((name) => `@${name}`)})`,
  ).run(organization);
  const insertUrl = db.prepare(
    `insert into urls (id, organization_id, short_code, target_url, tags, redirect_type, is_active, created_at, updated_at, search_text, settings_hash)
     values (?, ?, ?, ?, '', 307, 1, ?, ?, ?, ?)`,
  );
  const insertKey = db.prepare("insert into url_keys (domain_key, key, url_id) values ('', ?, ?)");
  const insertEvent = db.prepare(
    `insert into events (id, organization_id, sequence, type, body, created_at, url_id, tags)
     values (?, ?, ?, 'url.created', ?, ?, ?, '')`,
  );
  const insertHundred = db.transaction((urls) => {
    for (const { id, code, target, now, settingsHash, eventId } of urls) {
      const searchText = searchTextOf(target, code);
      insertUrl.run(id, organization.id, code, target, now, now, searchText, settingsHash);
      insertKey.run(code, id);
      insertEvent.run(eventId, organization.id, id, eventBody, now, id);
    }
  });
  let id = 0;
  return {
    insert(rows) {
      const batches = [];
      for (let start = 0; start < rows; start += perRequest) {
        const now = Date.now();
        batches.push(
          Array.from({ length: perRequest }, () => {
            id += 1;
            const settingsHash = Math.floor(Math.random() * 2 ** 53);
            const eventId = `${now.toString(16)}-${String(id).padStart(24, '0')}`;
            return { id, code: randomCode(), target: targetOf(id), now, settingsHash, eventId };
          }),
        );
      }
      const startedAt = performance.now();
      for (const batch of batches) insertHundred(batch);
      return (rows / (performance.now() - startedAt)) * 1000;
    },
    close() {
      db.close();
      rmSync(path, { force: true });
    },
  };
}
