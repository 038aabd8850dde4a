import { createHash } from 'node:crypto';
import { SqliteError } from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import type { Database, Schema, SearchIndex, WriteTransaction } from '../database.js';

// A trigram has three code points.
const tokenLength = 3;
// Further tokens would cost more reads of the index than they save.
const maxTokens = 8;
const mergedPages = 64;

type IndexedDatabase = Pick<Database, 'read' | 'writeDirectly'>;

// The most text that one transaction indexes. Other writes wait for it: 32,768 characters of random
// text take about 10 ms, and the time grows faster than the length.
const maxCharactersAtOnce = 32_768;
const maxUrlsAtOnce = 1_000;
// The number of organizations that share a transaction, if as many have pending links.
const minOrganizationsAtOnce = 4;

/** Ids in a block. A search reads one block at a time, which takes about 5 ms. */
const blockSize = 16_384;

/**
 * Creates the trigram index of `urls.search_text`, or replaces that of version 0.1.0. Triggers record
 * changed links as pending, and a `SearchIndexer` indexes them later. In the transaction that changes a
 * link, FTS5 would merge its segments at unpredictable times. Searches read the pending links
 * themselves.
 *
 * The index stores no text and no positions. It returns candidates, which each search compares with
 * the term. An outdated entry is therefore harmless, but a missing entry hides a link.
 */
export async function createSearchIndex(db: Kysely<Schema>): Promise<void> {
  await sql`drop table if exists url_search`.execute(db);
  await sql`create virtual table url_search using fts5(
    text, content = '', contentless_delete = 1, detail = none,
    tokenize = 'trigram case_sensitive 1')`.execute(db);
  await sql`insert into url_search (url_search, rank) values ('automerge', 0)`.execute(db);
  await sql`insert into url_search (url_search, rank) values ('crisismerge', 1000)`.execute(db);
  await sql`drop table if exists url_search_pending`.execute(db);
  await sql`create table url_search_pending (
    organization_id text not null,
    url_id integer not null,
    primary key (organization_id, url_id)
  ) without rowid`.execute(db);
  for (const [event, row, condition] of [
    ['insert', 'new', ''],
    ['update', 'new', 'when old.search_text <> new.search_text'],
    ['delete', 'old', ''],
  ]) {
    await sql.raw(`drop trigger if exists url_search_${event}`).execute(db);
    await sql
      .raw(`create trigger url_search_${event} after ${event} on urls ${condition} begin
        insert or ignore into url_search_pending values (${row}.organization_id, ${row}.id); end`)
      .execute(db);
  }
  await rebuildSearchIndex(db);
}

/**
 * Returns the FTS5 queries for the links of an organization that may contain a folded text, one for
 * each block of ids up to `maxId`. Returns undefined if the text is shorter than a trigram.
 */
export function searchQueriesOf(
  organizationId: string,
  folded: string,
  maxId: number,
): Iterable<string> | undefined {
  const tokens = tokensOf(folded).map(quote).join(' AND ');
  if (tokens === '') return undefined;
  return (function* () {
    for (let id = 0; id <= maxId; id += blockSize) {
      yield `${quote(blockTokenOf(organizationId, id))} AND ${tokens}`;
    }
  })();
}

function tokensOf(folded: string): readonly string[] {
  const characters = [...folded];
  const last = characters.length - tokenLength;
  if (last < 0) return [];
  const step = Math.max(1, Math.ceil(last / (maxTokens - 1)));
  const tokens = new Set<string>();
  for (let at = 0; at < last; at += step) tokens.add(tokenAt(characters, at));
  tokens.add(tokenAt(characters, last));
  return [...tokens];
}

function tokenAt(characters: readonly string[], at: number): string {
  return characters.slice(at, at + tokenLength).join('');
}

function quote(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}

/**
 * Returns the token that the index has for every link of an organization in a block of ids. FTS5
 * then reads the other tokens only within that block. Two blocks may share a token, because a search
 * compares each candidate with its condition.
 */
function blockTokenOf(organizationId: string, id: number): string {
  const block = `${organizationId} ${Math.floor(id / blockSize)}`;
  const hash = createHash('sha256').update(block).digest();
  // Private-use characters of plane 15, which begins at U+F0000 and has 65,534 of them.
  const characterAt = (at: number) => 0xf0000 + (hash.readUInt16BE(at) % 65_534);
  return String.fromCodePoint(characterAt(0), characterAt(2), characterAt(4));
}

interface PendingUrl {
  readonly organizationId: string;
  readonly id: number;
  readonly characters: number;
}

/** Indexes pending links. Organizations take turns, so that none delays the others. */
export class SearchIndexer {
  readonly #database: IndexedDatabase;
  #lastOrganization = '';

  constructor(database: IndexedDatabase) {
    this.#database = database;
  }

  /** Indexes as many pending links as one transaction may, and returns their number. */
  async indexPending(): Promise<number> {
    const urls = await this.#findPending();
    if (urls.length > 0)
      await this.#database.writeDirectly((transaction) => index(transaction, urls));
    return urls.length;
  }

  /** Returns pending links of several organizations. Starts after the last one of the previous call. */
  async #findPending(): Promise<readonly PendingUrl[]> {
    const db = this.#database.read;
    const organizations = await findOrganizations(db, this.#lastOrganization);
    const share = Math.ceil(
      maxCharactersAtOnce / Math.min(organizations.length, minOrganizationsAtOnce),
    );
    const urls: PendingUrl[] = [];
    let characters = 0;
    for (const organizationId of organizations) {
      let own = 0;
      for (const url of await findPendingOf(db, organizationId, maxUrlsAtOnce - urls.length)) {
        // A text above the limit is indexed in a transaction of its own.
        if (characters > 0 && characters + url.characters > maxCharactersAtOnce) return urls;
        if (own > 0 && own + url.characters > share) break;
        own += url.characters;
        characters += url.characters;
        urls.push(url);
        this.#lastOrganization = organizationId;
      }
      if (urls.length >= maxUrlsAtOnce) break;
    }
    return urls;
  }
}

/** Returns the organizations with pending links, starting after `last`. */
async function findOrganizations(db: Kysely<Schema>, last: string): Promise<readonly string[]> {
  const later = await findOrganizationsAfter(db, last);
  const earlier = (await findOrganizationsAfter(db, '')).filter((id) => id <= last);
  return [...later, ...earlier];
}

/** Reads one index entry for each organization, regardless of its number of links. */
async function findOrganizationsAfter(db: Kysely<Schema>, last: string): Promise<string[]> {
  const next = (after: unknown) =>
    sql`(select min(organization_id) from url_search_pending where organization_id > ${after})`;
  const { rows } = await sql<{ id: string }>`
    with recursive organizations (id) as (
      select ${next(last)}
      union all select ${next(sql`id`)} from organizations where id is not null
      limit ${maxUrlsAtOnce}
    )
    select id from organizations where id is not null`.execute(db);
  return rows.map(({ id }) => id);
}

async function findPendingOf(
  db: Kysely<Schema>,
  organizationId: string,
  limit: number,
): Promise<readonly PendingUrl[]> {
  const { rows } = await sql<Omit<PendingUrl, 'organizationId'>>`
    select url_id as id, coalesce(length(search_text), 0) as characters
    from url_search_pending left join urls on urls.id = url_id
    where url_search_pending.organization_id = ${organizationId}
    order by url_id limit ${limit}`.execute(db);
  return rows.map((row) => ({ organizationId, ...row }));
}

/** Indexes links with the token of their block. Removes deleted links from the index. */
async function index(transaction: WriteTransaction, urls: readonly PendingUrl[]): Promise<void> {
  const items = sql`json_each(${JSON.stringify(
    urls.map(({ organizationId, id }) => [organizationId, id, blockTokenOf(organizationId, id)]),
  )})`;
  const organizationId = sql`json_extract(value, '$[0]')`;
  const id = sql`json_extract(value, '$[1]')`;
  const blockToken = sql`json_extract(value, '$[2]')`;
  await sql`delete from url_search where rowid in (select ${id} from ${items})`.execute(
    transaction,
  );
  await sql`insert into url_search (rowid, text)
    select urls.id, search_text || ${blockToken}
    from ${items} cross join urls on urls.id = ${id}`.execute(transaction);
  await sql`delete from url_search_pending where (organization_id, url_id) in (
    select ${organizationId}, ${id} from ${items})`.execute(transaction);
  await sql`insert into url_search (url_search, rank)
    values ('merge', ${sql.lit(mergedPages)})`.execute(transaction);
}

/** Returns the number of links that are neither indexed nor pending. */
async function findUnindexedUrls(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from urls
    where id not in (select id from url_search_docsize)
      and id not in (select url_id from url_search_pending)`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Runs FTS5's integrity check. */
async function isSound(database: IndexedDatabase): Promise<boolean> {
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
async function rebuildSearchIndex(db: Kysely<Schema>): Promise<void> {
  await sql`insert into url_search (url_search) values ('delete-all')`.execute(db);
  await sql`insert or ignore into url_search_pending
    select organization_id, id from urls`.execute(db);
}

export function openSearchIndex(database: IndexedDatabase): SearchIndex {
  const indexer = new SearchIndexer(database);
  return {
    exists: async () => true,
    async diagnose() {
      const index = (await isSound(database)) ? 'sound' : 'damaged';
      return { unindexed: await findUnindexedUrls(database.read), index };
    },
    repair: () => database.writeDirectly(rebuildSearchIndex),
    async hasPending() {
      const { rows } = await sql`select 1 from url_search_pending limit 1`.execute(database.read);
      return rows.length > 0;
    },
    indexPending: () => indexer.indexPending(),
  };
}
