import { sql } from 'kysely';
import { dayMs } from '../../analytics/reports/durations.js';
import { ConfigError } from '../../config-error.js';
import { ownHostTest } from '../../domains/own-hosts.js';
import type { EventFilters } from '../../events/subscription.js';
import { recordAuditEntry, type WriteOrigin } from '../../idempotency/audit-entry.js';
import type { Database, Value, WriteTransaction } from '../../storage/database.js';
import { type Row, rowsAtOnce } from '../../storage/read-in-batches.js';
import { searchTextOf } from '../../storage/search-text.js';
import { encryptorOf, mapSecrets } from '../../storage/secrets.js';
import { settingsHashOf } from '../../storage/settings-hash.js';
import { targetsOf } from '../../urls/link-rules.js';
import { LoopDetector } from '../../urls/loop-detector.js';
import {
  findLinkWithoutTarget,
  findRetiredKeys,
  importRetiredKeys,
  reclaimKeys,
} from '../../urls/retired-keys.js';
import { parseRules } from '../../urls/short-url.js';
import { reserveUrlIds } from '../../urls/url-ids.js';
import { startClickFeed } from '../../webhooks/click-feed.js';
import { checkRow, withoutServerColumns } from './check-row.js';
import { readTransferFile } from './transfer-file.js';
import { batchesOf, countRows, type TransferTable, transferTables } from './transfer-tables.js';

const namesShown = 10;

/**
 * Imports an organization from a file, completely or not at all. Checks the whole file first, and then
 * writes all rows in one transaction, with an entry of the audit log if it has an origin. Returns the number of rows by table, and the number that was
 * added to the ids of links.
 */
export async function importOrganization(
  database: Database,
  path: string,
  ownHosts: readonly string[] = [],
  origin?: WriteOrigin,
) {
  const summary = await checkFile(path);
  return database.writeDirectly(async (transaction) => {
    await refuseKnownOrganization(transaction, summary);
    const encrypt = await encryptorOf(database, transaction);
    const urlIdShift = await reserveIds(transaction, summary);
    const { visitsUntil } = summary;
    for await (const [table, rows] of batchesIn(path)) {
      const values = rows.map((row) =>
        mapSecrets(table, toStored(table, row, { urlIdShift, visitsUntil }), encrypt),
      );
      await refuseTaken(transaction, table, values);
      if (table === 'url_keys') await reclaim(transaction, summary, values);
      // `checkFile` has checked the names and the types of the columns.
      if (table === 'retired_keys') {
        await importRetiredKeys(transaction, summary.organizationId, values as never[]);
      } else await database.bulkInsert(transaction, table, values as never[]);
    }
    // The organization may have webhooks that get clicks.
    await startClickFeed(transaction, summary.organizationId);
    await refuseForeignRows(transaction, summary);
    await refuseMissingTarget(transaction, summary);
    await refuseLoops(transaction, summary, ownHosts);
    const { organizationId } = summary;
    if (origin) {
      const target = { type: 'organization', id: organizationId, organizationId } as const;
      recordAuditEntry(transaction, origin, target);
    }
    return { organizationId, rows: summary.rows, urlIdShift };
  }, 'exclusive');
}

type TransferSummary = Awaited<ReturnType<typeof checkFile>>;

/** Checks each row of the file, and returns what must be known before the first one is written. */
async function checkFile(path: string) {
  const rows = new Map<string, number>();
  const urlIds = { first: Number.POSITIVE_INFINITY, last: 0 };
  const domains = new Set<unknown>(['']);
  // The end of all visits and pruned days.
  let visitsUntil = 0;
  let organizationId = '';
  for await (const each of readTransferFile(path)) {
    checkRow(each);
    const { table, row } = each;
    rows.set(table, (rows.get(table) ?? 0) + 1);
    if (table === 'organizations') organizationId = String(row.id);
    else if ('organization_id' in row && row.organization_id !== organizationId) {
      throw foreignRows(table);
    }
    if (table === 'domains') domains.add(row.id);
    if (table === 'visit_chunks') visitsUntil = Math.max(visitsUntil, Number(row.last_at) + 1);
    if (table === 'click_days') visitsUntil = Math.max(visitsUntil, Number(row.day) + dayMs);
    if (!domains.has(row.domain_id ?? row.domain_key ?? '')) {
      throw new ConfigError('the file has links on a domain of another organization');
    }
    if (table === 'urls') {
      urlIds.first = Math.min(urlIds.first, Number(row.id));
      urlIds.last = Math.max(urlIds.last, Number(row.id));
    }
  }
  if (organizationId === '') throw new ConfigError('the file has no organization');
  return { organizationId, rows, urlIds, visitsUntil };
}

async function refuseKnownOrganization(
  transaction: WriteTransaction,
  { organizationId }: TransferSummary,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from organizations where id = ${organizationId}`.execute(transaction);
  const [known] = rows;
  if (known) {
    throw new ConfigError(
      `the organization ${organizationId} (${known.name}) already exists in this database`,
    );
  }
}

/**
 * Reserves the ids of the links. Returns the number to add to each id; 0 if no link ever had an id in
 * the file's range. Journals may still have visits of links that were deleted.
 */
async function reserveIds(
  transaction: WriteTransaction,
  { urlIds }: TransferSummary,
): Promise<number> {
  const { first, last } = urlIds;
  if (first > last) return 0;
  const { rows: used } = await sql`
    select 1 from url_id_counter where last_id >= ${first}`.execute(transaction);
  if (used.length > 0) {
    return (await reserveUrlIds(transaction, last - first + 1)) - first;
  }
  await sql`update url_id_counter set last_id = ${last} where last_id < ${last}`.execute(
    transaction,
  );
  return 0;
}

/** Yields batches of rows of one table that have the same columns. */
async function* batchesIn(path: string): AsyncGenerator<readonly [TransferTable, readonly Row[]]> {
  let batch: Row[] = [];
  let table: TransferTable = 'urls';
  let shape = '';
  for await (const each of readTransferFile(path)) {
    const row = withoutServerColumns(each.table, each.row);
    const shapeOfRow = [each.table, ...Object.keys(row)].join();
    if (batch.length === rowsAtOnce || (batch.length > 0 && shapeOfRow !== shape)) {
      yield [table, batch];
      batch = [];
    }
    shape = shapeOfRow;
    table = each.table;
    batch.push(row);
  }
  if (batch.length > 0) yield [table, batch];
}

/** The values of this server. */
interface StoredValues {
  readonly urlIdShift: number;
  readonly visitsUntil: number;
}

/**
 * Adds `urlIdShift` to the id of a link, and computes the search text and the hash, which a file may forge. The file
 * has no chunks of the organization, so these are complete after its visits.
 */
function toStored(table: TransferTable, row: Row, { urlIdShift, visitsUntil }: StoredValues): Row {
  if (table === 'organizations') return { ...row, chunks_complete_from: visitsUntil };
  if (table === 'urls') {
    return {
      ...row,
      id: Number(row.id) + urlIdShift,
      search_text: searchTextOfRow(row),
      settings_hash: settingsHashOf(row),
    };
  }
  if (table === 'webhooks' && row.filters != null) {
    return { ...row, filters: shiftFilters(String(row.filters), urlIdShift) };
  }
  if (row.url_id == null) return row;
  return { ...row, url_id: Number(row.url_id) + urlIdShift };
}

/** Adds to the ids of links in the filters of a webhook. */
function shiftFilters(text: string, urlIdShift: number): string {
  const filters = JSON.parse(text) as EventFilters;
  if (!filters.urlIds) return text;
  return JSON.stringify({ ...filters, urlIds: filters.urlIds.map((id) => id + urlIdShift) });
}

function searchTextOfRow(row: Row): string {
  const textOrNull = (value: Value | undefined) => (value == null ? null : String(value));
  return searchTextOf({
    title: textOrNull(row.title),
    target_url: String(row.target_url),
    custom_slug: textOrNull(row.custom_slug),
    short_code: String(row.short_code),
    description: textOrNull(row.description),
    tags: textOrNull(row.tags) ?? '',
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
  table: TransferTable,
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
  const listed = listNames(taken.map(({ name }) => name));
  throw new ConfigError(`other organizations already have these ${names}: ${listed}`);
}

function listNames(names: readonly string[]): string {
  return `${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ' and more' : ''}`;
}

/** Throws for keys of a deleted organization, unless the file is its export. */
async function reclaim(
  transaction: WriteTransaction,
  { organizationId }: TransferSummary,
  rows: readonly Row[],
): Promise<void> {
  const keys = rows.map((row) => ({ domain_key: String(row.domain_key), key: String(row.key) }));
  await reclaimKeys(transaction, organizationId, keys);
  const retired = await findRetiredKeys(transaction, keys);
  if (retired.length === 0) return;
  throw new ConfigError(
    `another organization, which was deleted, had these slugs and short codes: ${listNames(retired.map(({ key }) => key))}`,
  );
}

/** Throws for the first link that leads back to itself, through imported or existing links. */
async function refuseLoops(
  transaction: WriteTransaction,
  { organizationId }: TransferSummary,
  ownHosts: readonly string[],
): Promise<void> {
  const loops = new LoopDetector(ownHostTest(ownHosts));
  for await (const rows of batchesOf(transaction, 'urls', organizationId)) {
    const urls = rows.map((row) => ({
      id: Number(row.id),
      targetUrl: String(row.target_url),
      expiredUrl: (row.expired_url ?? null) as string | null,
      rules: parseRules(row.rules as string | null),
      domainId: row.domain_id as string | null,
      shortCode: String(row.short_code),
      customSlug: row.custom_slug as string | null,
    }));
    for (const url of await loops.findLocal(transaction, urls)) {
      const path = await loops.findLoop(transaction, url);
      if (path === undefined) continue;
      const target = targetsOf(url).find((each) => each.path === path);
      throw new ConfigError(
        `the link ${url.customSlug ?? url.shortCode} would lead back to itself: its ${path} is ${target?.targetUrl}`,
      );
    }
  }
}

/** Throws for rows that belong to another organization. */
async function refuseForeignRows(
  transaction: WriteTransaction,
  { organizationId, rows }: TransferSummary,
): Promise<void> {
  for (const table of transferTables) {
    // Rows may already exist here.
    if (table === 'retired_keys') continue;
    const written = await countRows(transaction, table, organizationId);
    if (written !== (rows.get(table) ?? 0)) throw foreignRows(table);
  }
}

function foreignRows(table: TransferTable): ConfigError {
  return new ConfigError(`the file has rows of ${table} that belong to another organization`);
}

/** Throws for a link that leads nowhere. One that is being erased has no target. */
async function refuseMissingTarget(
  transaction: WriteTransaction,
  { organizationId }: TransferSummary,
): Promise<void> {
  const id = await findLinkWithoutTarget(transaction, organizationId);
  if (id === undefined) return;
  throw new ConfigError(
    'the file has a link without a target: it was being erased by an earlier version; export the organization again when the erasure has ended',
  );
}
