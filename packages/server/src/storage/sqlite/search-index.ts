import { SqliteError } from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { PeriodicService, type Service } from '../../lifecycle.js';
import type { Database, Schema } from '../database.js';

// A trigram has three code points.
const tokenLength = 3;
// More tokens read more of the index than they save.
const maxTokens = 8;
const mergedPages = 64;

const indexEveryMs = 25;
// One transaction indexes as much. Other writes wait for it: 32,768 characters of random text take
// about 10 ms, and the time grows faster than the length.
const maxCharactersAtOnce = 32_768;
const maxUrlsAtOnce = 1_000;

/**
 * Creates the trigram index of `urls.search_text`. Triggers record changed links as pending, and
 * `indexPendingUrls` indexes them later: in the transaction that changes a link, FTS5 would merge its
 * segments at unpredictable times. Searches read the pending links themselves.
 *
 * The index stores no text and no positions. It returns candidates, which each search compares with
 * the term. So an outdated entry is harmless, but a missing entry is not.
 */
export async function createSearchIndex(db: Kysely<Schema>): Promise<void> {
  await sql`create virtual table url_search using fts5(
    text, content = '', contentless_delete = 1, detail = none,
    tokenize = 'trigram case_sensitive 1')`.execute(db);
  await sql`insert into url_search (url_search, rank) values ('automerge', 0)`.execute(db);
  await sql`insert into url_search (url_search, rank) values ('crisismerge', 1000)`.execute(db);
  await sql`create table url_search_pending (url_id integer primary key)`.execute(db);
  await sql`insert into url_search_pending select id from urls`.execute(db);
  const addPending = (row: 'new' | 'old') =>
    sql`insert or ignore into url_search_pending values (${sql.ref(`${row}.id`)})`;
  await sql`create trigger url_search_insert after insert on urls begin ${addPending('new')}; end`.execute(
    db,
  );
  await sql`create trigger url_search_update after update of search_text on urls
    when old.search_text <> new.search_text begin ${addPending('new')}; end`.execute(db);
  await sql`create trigger url_search_delete after delete on urls begin ${addPending('old')}; end`.execute(
    db,
  );
}

/**
 * Returns the FTS5 query for links that may contain a folded text; undefined if the text is shorter
 * than a trigram.
 */
export function searchQueryOf(folded: string): string | undefined {
  const characters = [...folded];
  const last = characters.length - tokenLength;
  if (last < 0) return undefined;
  const step = Math.max(1, Math.ceil(last / (maxTokens - 1)));
  const tokens = new Set<string>();
  for (let at = 0; at < last; at += step) tokens.add(tokenAt(characters, at));
  tokens.add(tokenAt(characters, last));
  return [...tokens].map((token) => `"${token.replaceAll('"', '""')}"`).join(' AND ');
}

function tokenAt(characters: readonly string[], at: number): string {
  return characters.slice(at, at + tokenLength).join('');
}

/** Indexes the first pending links, as many as one transaction may, and returns their number. */
export async function indexPendingUrls(database: Database): Promise<number> {
  const { rows: pending } = await sql<{ url_id: number; characters: number }>`
    select url_id, coalesce(length(search_text), 0) as characters
    from url_search_pending left join urls on urls.id = url_id
    order by url_id limit ${maxUrlsAtOnce}`.execute(database.read);
  let characters = 0;
  const excess = pending.findIndex((row) => {
    characters += row.characters;
    return characters > maxCharactersAtOnce;
  });
  // A text that is too long alone is indexed alone.
  const rows = excess === -1 ? pending : pending.slice(0, Math.max(1, excess));
  if (rows.length === 0) return 0;
  const last = rows.at(-1)?.url_id as number;
  await database.writeDirectly(async (transaction) => {
    const pending = sql`(select url_id from url_search_pending where url_id <= ${last})`;
    await sql`delete from url_search where rowid in ${pending}`.execute(transaction);
    await sql`insert into url_search (rowid, text)
      select id, search_text from urls where id in ${pending}`.execute(transaction);
    await sql`delete from url_search_pending where url_id <= ${last}`.execute(transaction);
    await sql`insert into url_search (url_search, rank)
      values ('merge', ${sql.lit(mergedPages)})`.execute(transaction);
  });
  return rows.length;
}

/** Starts a service that indexes pending links in parts. Does nothing on other engines. */
export function startSearchIndexer(
  database: Database,
  onError: (error: unknown) => void,
): Pick<Service, 'stop'> {
  if (database.engine !== 'sqlite') return { stop: async () => {} };
  const service = new PeriodicService({
    name: 'search index',
    everyMs: indexEveryMs,
    tick: () => indexPendingUrls(database),
    onError,
  });
  service.start();
  return service;
}

/** Returns the number of links that are neither indexed nor pending. */
export async function findUnindexedUrls(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from urls
    where id not in (select id from url_search_docsize)
      and id not in (select url_id from url_search_pending)`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Runs FTS5's integrity check. */
export async function isSearchIndexSound(database: Database): Promise<boolean> {
  try {
    await database.writeDirectly((transaction) =>
      sql`insert into url_search (url_search) values ('integrity-check')`.execute(transaction),
    );
    return true;
  } catch (error) {
    if (error instanceof SqliteError && error.code.startsWith('SQLITE_CORRUPT')) return false;
    throw error;
  }
}

/** Empties the index and records every link as pending. */
export async function rebuildSearchIndex(db: Kysely<Schema>): Promise<void> {
  await sql`insert into url_search (url_search) values ('delete-all')`.execute(db);
  await sql`insert or ignore into url_search_pending select id from urls`.execute(db);
}
