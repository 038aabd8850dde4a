import { sql } from 'kysely';
import { decodeColumns } from '../../analytics/ingest/columns-codec.js';
import { ConfigError } from '../../config-error.js';
import { OwnHosts } from '../../domains/own-hosts.js';
import type { Database, WriteTransaction } from '../../storage/database.js';
import { type Row, rowsAtOnce } from '../../storage/read-in-batches.js';
import { tables } from '../../storage/schema.js';
import { searchTextOf } from '../../storage/search-text.js';
import { allocateUrlIds } from '../../urls/allocate-url-ids.js';
import { LoopDetector } from '../../urls/loop-detector.js';
import {
  checkTransferFile,
  readTransferRows,
  type TransferRow,
  type TransferSummary,
} from './transfer-file.js';
import {
  batchesOf,
  countRows,
  type TransferTable,
  transferTables,
  urlTable,
} from './transfer-tables.js';

export interface ImportReport {
  readonly organizationId: string;
  /** The number of rows by table. */
  readonly rows: ReadonlyMap<string, number>;
  /** The number that was added to the ids of links; 0 if they are unchanged. */
  readonly urlIdShift: number;
}

const namesShown = 10;

/**
 * Imports an organization from a file, completely or not at all. Checks the whole file first, and then
 * writes all rows in one transaction.
 */
export async function importOrganization(
  database: Database,
  path: string,
  ownHosts: readonly string[] = [],
): Promise<ImportReport> {
  const summary = await checkTransferFile(path);
  return database.writeDirectly(async (transaction) => {
    await refuseKnownOrganization(transaction, summary);
    const urlIdShift = await reserveUrlIds(transaction, summary);
    for await (const { table, rows } of batchesIn(path)) {
      for (const row of rows) checkRow(table, row);
      const values = rows.map(({ row }) => toStored(table, row, urlIdShift));
      await refuseTaken(transaction, table.name, values);
      // `checkRow` has checked the column names; the engine enforces the types.
      await database.bulkInsert(transaction, table.name, values as never[]);
    }
    await refuseForeignRows(transaction, summary);
    await refuseLoops(transaction, summary, ownHosts);
    return { organizationId: summary.organizationId, rows: summary.rows, urlIdShift };
  }, 'exclusive');
}

async function refuseKnownOrganization(
  transaction: WriteTransaction,
  { organizationId }: TransferSummary,
): Promise<void> {
  const known = await transaction
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (known) {
    throw new ConfigError(
      `the organization ${organizationId} (${known.name}) already exists in this database`,
    );
  }
}

/**
 * Reserves the ids of the links. Returns the number to add to each id; 0 if no other link has an id in
 * the file's range.
 */
async function reserveUrlIds(
  transaction: WriteTransaction,
  { urlIds }: TransferSummary,
): Promise<number> {
  if (!urlIds) return 0;
  const { first, last } = urlIds;
  const taken = await transaction
    .selectFrom('urls')
    .select('id')
    .where('id', '>=', first)
    .where('id', '<=', last)
    .limit(1)
    .executeTakeFirst();
  if (taken) return (await allocateUrlIds(transaction, last - first + 1)) - first;
  await transaction
    .updateTable('url_id_counter')
    .set({ last_id: last })
    .where('last_id', '<', last)
    .execute();
  return 0;
}

interface Batch {
  readonly table: TransferTable;
  readonly rows: readonly TransferRow[];
}

/** Yields batches of rows of one table that have the same columns. */
async function* batchesIn(path: string): AsyncGenerator<Batch> {
  let rows: TransferRow[] = [];
  let shape = '';
  for await (const row of readTransferRows(path)) {
    const shapeOfRow = [row.table, ...Object.keys(row.row)].join();
    if (rows.length > 0 && (shapeOfRow !== shape || rows.length === rowsAtOnce)) {
      yield { table: tableOf(rows), rows };
      rows = [];
    }
    shape = shapeOfRow;
    rows.push(row);
  }
  if (rows.length > 0) yield { table: tableOf(rows), rows };
}

function tableOf([first]: readonly TransferRow[]): TransferTable {
  return transferTables.find(({ name }) => name === first?.table) as TransferTable;
}

/** Checks column names, which become part of statements, and visits, which threads decode later. */
function checkRow({ name }: TransferTable, { row, line }: TransferRow): void {
  const unknown = Object.keys(row).find((column) => !Object.hasOwn(tables[name], column));
  if (unknown !== undefined) {
    throw new ConfigError(
      `line ${line}: this version has no column ${name}.${unknown}; import the file with the version that exported it, or a newer one`,
    );
  }
  if (name !== 'visit_chunks') return;
  try {
    decodeColumns(row.visits as Uint8Array);
  } catch (cause) {
    throw new ConfigError(`line ${line}: the visits cannot be decoded`, { cause });
  }
}

/** Adds `urlIdShift` to the id of a link, and computes the search text, which a file may forge. */
function toStored({ name, urlId }: TransferTable, row: Row, urlIdShift: number): Row {
  const id = urlId === undefined ? null : (row[urlId] ?? null);
  return {
    ...row,
    ...(urlId !== undefined && id !== null && { [urlId]: Number(id) + urlIdShift }),
    ...(name === 'urls' && { search_text: searchTextOfRow(row) }),
  };
}

function searchTextOfRow({ title, target_url, custom_slug, short_code }: Row): string {
  return searchTextOf({
    title: title == null ? null : String(title),
    target_url: String(target_url),
    custom_slug: custom_slug == null ? null : String(custom_slug),
    short_code: String(short_code),
  });
}

/** The columns whose values only one organization can have, and the rows to which this applies. */
const exclusive = {
  // The domain is new, so its keys cannot be taken.
  url_keys: { column: 'key', where: ['domain_key', ''], names: 'slugs and short codes' },
  domains: { column: 'hostname', where: ['is_active', 1], names: 'domains' },
} as const;

/** Throws for short codes, slugs and domains that other organizations have. */
async function refuseTaken(
  transaction: WriteTransaction,
  table: TransferTable['name'],
  rows: readonly Row[],
): Promise<void> {
  if (table !== 'url_keys' && table !== 'domains') return;
  const { column, names, where } = exclusive[table];
  const [condition, value] = where;
  const wanted = rows.filter((row) => row[condition] === value).map((row) => row[column]);
  if (wanted.length === 0) return;
  const { rows: taken } = await sql<{ name: string }>`
    select ${sql.ref(column)} as name from ${sql.table(table)}
    where ${sql.ref(condition)} = ${value} and ${sql.ref(column)} in (${sql.join(wanted)})`.execute(
    transaction,
  );
  if (taken.length === 0) return;
  const shown = taken.slice(0, namesShown).map(({ name }) => name);
  const more = taken.length > namesShown ? ' and more' : '';
  throw new ConfigError(
    `other organizations already have these ${names}: ${shown.join(', ')}${more}`,
  );
}

/** Throws for the first link that leads back to itself, through imported or existing links. */
async function refuseLoops(
  transaction: WriteTransaction,
  { organizationId }: TransferSummary,
  ownHosts: readonly string[],
): Promise<void> {
  const loops = new LoopDetector(new OwnHosts(() => ownHosts));
  for await (const rows of batchesOf(transaction, urlTable, organizationId)) {
    const urls = rows.map((row) => ({
      id: Number(row.id),
      targetUrl: String(row.target_url),
      domainId: row.domain_id as string | null,
      shortCode: String(row.short_code),
      customSlug: row.custom_slug as string | null,
    }));
    for (const url of await loops.findLocal(transaction, urls)) {
      if (!(await loops.leadsBack(transaction, url))) continue;
      throw new ConfigError(
        `the link ${url.customSlug ?? url.shortCode} would lead back to itself: its target is ${url.targetUrl}`,
      );
    }
  }
}

/** Throws for rows that belong or refer to another organization. */
async function refuseForeignRows(
  transaction: WriteTransaction,
  { organizationId, rows }: TransferSummary,
): Promise<void> {
  for (const table of transferTables) {
    const written = await countRows(transaction, table, organizationId);
    if (written === (rows.get(table.name) ?? 0)) continue;
    throw new ConfigError(`the file has rows of ${table.name} that belong to another organization`);
  }
  const own = sql`select id from domains where organization_id = ${organizationId}`;
  const { rows: foreign } = await sql`
    select id from urls
    where organization_id = ${organizationId} and domain_id is not null and domain_id not in (${own})
    union all
    select own.url_id from url_keys as own cross join urls as owner
    where owner.id = own.url_id and owner.organization_id = ${organizationId}
      and own.domain_key <> '' and own.domain_key not in (${own})
    limit 1`.execute(transaction);
  if (foreign.length > 0) {
    throw new ConfigError('the file has links on a domain of another organization');
  }
}
