import { type Insertable, sql } from 'kysely';
import { decodeColumns } from '../../analytics/ingest/columns-codec.js';
import { OwnHosts } from '../../domains/own-hosts.js';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { LinkChains } from '../../urls/link-chains.js';
import {
  checkTransferFile,
  readTransferRows,
  TransferFileError,
  type TransferRow,
  type TransferSummary,
} from './transfer-file.js';
import { countRows, type Row, type TransferTable, transferTables } from './transfer-tables.js';

export interface ImportReport {
  readonly organizationId: string;
  /** How many, by table. */
  readonly rows: ReadonlyMap<string, number>;
  /** What was added to the ids of links; 0 where they are as they were. */
  readonly urlIdShift: number;
}

type TableName = TransferTable['name'];

const rowsAtOnce = 200;
const namesShown = 10;

/**
 * Writes an organization out of a file, all of it or nothing: the file is read to its end before
 * anything is written, and what is written is one transaction.
 */
export async function importOrganization(
  database: Database,
  path: string,
  ownHosts: readonly string[] = [],
): Promise<ImportReport> {
  const summary = await checkTransferFile(path);
  const columns = await knownColumns(database);
  return database.write(async (transaction) => {
    await refuseKnownOrganization(transaction, summary);
    const urlIdShift = await makeRoomForIds(database, transaction, summary);
    for await (const { table, rows } of batchesOf(path)) {
      for (const row of rows) checkRow(table, row, columns);
      const values = rows.map(({ row }) => shiftUrlId(table, row, urlIdShift));
      await refuseTaken(transaction, table.name, values);
      await insert(database, transaction, table.name, values.map(withComputed(table)));
    }
    await refuseStrangers(transaction, summary);
    await refuseLoops(transaction, summary, ownHosts);
    return { organizationId: summary.organizationId, rows: summary.rows, urlIdShift };
  }, 'everything');
}

async function knownColumns(database: Database): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tables = await database.read.introspection.getTables();
  return new Map(
    tables.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]),
  );
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
    throw new TransferFileError(
      `the organization ${organizationId} (${known.name}) is here already`,
    );
  }
}

/**
 * Links keep their ids where nobody else has one of them or of those in between; else all of them go
 * up by the same number. What to add.
 */
async function makeRoomForIds(
  database: Database,
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
  if (taken) return (await database.allocateUrlIds(transaction, last - first + 1)) - first;
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

/** Rows of one table with the same columns, some at a time. */
async function* batchesOf(path: string): AsyncGenerator<Batch> {
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

/** Names of columns become part of statements, and visits are read by threads that must not fail. */
function checkRow(
  { name }: TransferTable,
  { row, line }: TransferRow,
  columns: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const unknown = Object.keys(row).find((column) => !columns.get(name)?.has(column));
  if (unknown !== undefined) {
    throw new TransferFileError(
      `line ${line}: this server knows no ${name}.${unknown}; is it older than the one that the file is from?`,
    );
  }
  if (name !== 'visit_chunks') return;
  try {
    decodeColumns(row.visits as Uint8Array);
  } catch (cause) {
    throw new TransferFileError(`line ${line}: these visits cannot be read`, { cause });
  }
}

function shiftUrlId({ urlId }: TransferTable, row: Row, by: number): Row {
  const id = urlId === undefined ? null : row[urlId];
  return urlId === undefined || id === null || by === 0
    ? row
    : { ...row, [urlId]: Number(id) + by };
}

/** What a file says of a computed column is not read: it might not agree with the others. */
function withComputed({ computed }: TransferTable): (row: Row) => Row {
  return (row) => (computed ? { ...row, [computed.column]: computed.of(row) } : row);
}

/** What two organizations cannot both have. */
async function refuseTaken(
  transaction: WriteTransaction,
  table: TableName,
  rows: readonly Row[],
): Promise<void> {
  if (table === 'url_keys') {
    // The keys of a custom domain cannot be taken where the domain has just come.
    const keys = rows.filter((row) => row.domain_key === '').map((row) => String(row.key));
    if (keys.length === 0) return;
    const taken = await transaction
      .selectFrom('url_keys')
      .select('key')
      .where('domain_key', '=', '')
      .where('key', 'in', keys)
      .execute();
    refuseNames(
      'slugs and short codes',
      taken.map(({ key }) => key),
    );
  }
  if (table === 'domains') {
    const names = rows.filter((row) => row.is_active === 1).map((row) => String(row.hostname));
    if (names.length === 0) return;
    const taken = await transaction
      .selectFrom('domains')
      .select('hostname')
      .where('is_active', '=', 1)
      .where('hostname', 'in', names)
      .execute();
    refuseNames(
      'domains',
      taken.map(({ hostname }) => hostname),
    );
  }
}

function refuseNames(what: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const shown = names.slice(0, namesShown).join(', ');
  const more = names.length > namesShown ? ' and more' : '';
  throw new TransferFileError(`other organizations have these ${what} already: ${shown}${more}`);
}

async function insert(
  database: Database,
  transaction: WriteTransaction,
  table: TableName,
  rows: readonly Row[],
): Promise<void> {
  // Their columns have been compared with the table's; its types are the engine's to enforce.
  await database.bulkInsert(transaction, table, rows as unknown as Insertable<Schema[TableName]>[]);
}

/** Throws for the first link that leads back to itself, through links that were here before or not. */
async function refuseLoops(
  transaction: WriteTransaction,
  { organizationId }: TransferSummary,
  ownHosts: readonly string[],
): Promise<void> {
  const chains = new LinkChains(new OwnHosts(() => ownHosts));
  let after = 0;
  for (;;) {
    const rows = await transaction
      .selectFrom('urls')
      .select(['id', 'target_url', 'domain_id', 'short_code', 'custom_slug'])
      .where('organization_id', '=', organizationId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute();
    const urls = rows.map((row) => ({
      id: row.id,
      targetUrl: row.target_url,
      domainId: row.domain_id,
      shortCode: row.short_code,
      customSlug: row.custom_slug,
    }));
    for (const url of await chains.findLocal(transaction, urls)) {
      if (!(await chains.leadsBack(transaction, url))) continue;
      throw new TransferFileError(
        `the link ${url.customSlug ?? url.shortCode} leads back to itself here: its target is ${url.targetUrl}`,
      );
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** Rows that would belong, or lead, to another organization's. */
async function refuseStrangers(
  transaction: WriteTransaction,
  { organizationId, rows }: TransferSummary,
): Promise<void> {
  for (const table of transferTables) {
    const written = await countRows(transaction, table, organizationId);
    if (written === (rows.get(table.name) ?? 0)) continue;
    throw new TransferFileError(
      `the file has rows of ${table.name} that are not its organization's`,
    );
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
    throw new TransferFileError("the file has links on a domain that is not its organization's");
  }
}
