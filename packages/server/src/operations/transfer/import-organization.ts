import { type Kysely, sql } from 'kysely';
import { checkColumns, decodeColumns, toRow } from '../../analytics/ingest/columns-codec.js';
import { ConfigError } from '../../config-error.js';
import { deleteOrganization } from '../../deletion/delete-organization.js';
import type { EventFilters } from '../../events/subscription.js';
import { recordAuditEntry, type WriteOrigin } from '../../idempotency/audit-entry.js';
import { type PlanTable, standardPlans } from '../../organizations/plans.js';
import type { Clock } from '../../ports.js';
import type { Row } from '../../storage/batches.js';
import type { Database, Schema, Value, WriteTransaction } from '../../storage/database.js';
import { foldKey } from '../../storage/fold-keys.js';
import { changeLinkPolicy } from '../../storage/link-policy.js';
import { type Table, uniqueColumnsOf } from '../../storage/schema.js';
import { searchTextOf } from '../../storage/search-text.js';
import { encryptorOf, mapSecrets } from '../../storage/secrets.js';
import { bulkInsert, findWhere, updateWhere } from '../../storage/statements.js';
import { settingsHashOf } from '../../urls/short-url.js';
import { reserveUrlIds } from '../../urls/url-ids.js';
import { findKeyOwners, findRetiredKeys, mapKeyOf } from '../../urls/url-keys.js';
import { readTransferFile, type TransferBatch } from './transfer-file.js';

// Until another process removes an import that writes no batch.
const leaseMs = 60_000;
const namesShown = 10;

interface ImportOptions {
  readonly origin?: WriteOrigin;
  readonly clock?: Clock;
  readonly plans?: PlanTable;
  /** Whether links of the platform's domain are found in any case. */
  readonly ignoreCase?: boolean;
}

/**
 * Imports an organization from a file, completely or not at all. Checks the whole file first, and then
 * writes it in transactions of a few rows. The last one makes the organization visible. One that was killed
 * is removed by the next import of the organization, or by a server a minute later. Returns the number of
 * rows by table, and the number that was added to the ids of links.
 */
export async function importOrganization(
  database: Database,
  path: string,
  { origin, clock = Date.now, plans = standardPlans, ignoreCase = false }: ImportOptions = {},
) {
  const { organization, rows, urlIds, file } = await checkFile(database, path);
  const { plan } = organization;
  if (!Object.hasOwn(plans, String(plan))) {
    throw new ConfigError(
      `this server lacks the plan ${plan} of the organization: add it by SHORTY_PLANS`,
    );
  }
  const organizationId = String(organization.id);
  const lock = { organizationId };
  // Identifies this import: another process may remove it, and import the organization too.
  const startedAt = clock();
  const urlIdShift = await database.writeDirectly(async (transaction) => {
    const marks = { suspended_at: startedAt, deletion_started_at: startedAt };
    const hidden = { ...organization, ...marks, import_leased_until: startedAt + leaseMs };
    await bulkInsert(transaction, 'organizations', [hidden] as never[]);
    return reserveIds(transaction, urlIds);
  }, lock);
  /** Runs a transaction that postpones the end of the lease. Fails if the import was removed. */
  const write = (work: (transaction: WriteTransaction) => Promise<unknown>) =>
    database.writeDirectly(async (transaction) => {
      const lease = clock() + leaseMs;
      const postpone = sql`update organizations set import_leased_until = ${lease}
        where id = ${organizationId} and deletion_started_at = ${startedAt}
          and import_leased_until > 0`;
      const { numAffectedRows } = await postpone.execute(transaction);
      if (!numAffectedRows) throw new ConfigError('another process removed this import');
      await work(transaction);
    }, lock);
  const retired: Row[] = [];
  try {
    for await (const { table, rows: given } of readTransferFile(path, file)) {
      const values = given.map((row) => toStored(table, row, urlIdShift, ignoreCase));
      // Others may need the keys that nobody has, so these are the last to be written.
      if (table === 'retired_keys') retired.push(...values);
      else if (table !== 'organizations') {
        await write(async (transaction) => {
          await refuseTaken(transaction, { table, rows: values }, organizationId);
          const encrypt = await encryptorOf(database, transaction);
          const encrypted = values.map((row) => mapSecrets(table, row, encrypt));
          await bulkInsert(transaction, table, encrypted as never[]);
        });
      }
    }
    await write(async (transaction) => {
      await bulkInsert(transaction, 'retired_keys', retired as never[], 'on conflict do nothing');
      const suspended_at = organization.suspended_at as number | null;
      const visible = { deletion_started_at: null, import_leased_until: null, suspended_at };
      await updateWhere(transaction, 'organizations', { id: organizationId }, visible);
      // Caches have the links that somebody has tried to visit.
      await changeLinkPolicy(transaction);
      if (!origin) return;
      const target = { type: 'organization', id: organizationId, organizationId } as const;
      recordAuditEntry(transaction, origin, target);
    });
  } catch (error) {
    // The last transaction may be committed, although it failed here.
    await removeImport(database, organizationId, startedAt);
    throw error;
  }
  return { organizationId, rows, urlIdShift };
}

/** Removes an unfinished import of an organization; with `startedAt`, only that which started then. */
async function removeImport(
  database: Database,
  organizationId: string,
  startedAt?: number,
): Promise<void> {
  const found = await findWhere(database.read, 'organizations', { id: organizationId });
  if (found?.import_leased_until == null) return;
  if (startedAt !== undefined && found.deletion_started_at !== startedAt) return;
  await deleteOrganization(database, organizationId, Number.MAX_SAFE_INTEGER);
}

/** Checks each row of the file, and returns what must be known before the first one is written. */
async function checkFile(database: Database, path: string) {
  const rows = new Map<string, number>();
  const urlIds = { first: Number.POSITIVE_INFINITY, last: 0 };
  const owned = { domains: new Set<unknown>(['']), qr_codes: new Set<unknown>() };
  const file = {};
  let organization: Row | undefined;
  for await (const batch of readTransferFile(path, file)) {
    const { table } = batch;
    for (const row of batch.rows) {
      if ((table === 'organizations') !== (organization === undefined)) {
        throw new ConfigError('the file must begin with an organization, and have no other');
      }
      organization ??= row;
      if (table === 'domains' || table === 'qr_codes') owned[table].add(row.id);
      if (table === 'urls') {
        urlIds.first = Math.min(urlIds.first, Number(row.id));
        urlIds.last = Math.max(urlIds.last, Number(row.id));
      }
      const { first_url: first = row.url_id, last_url: last = first } =
        table === 'visits' ? rangeOf(row) : {};
      const isOwn =
        (row.organization_id ?? organization.id) === organization.id &&
        owned.domains.has(row.domain_id ?? row.domain_key ?? '') &&
        (row.qr_id == null || owned.qr_codes.has(row.qr_id)) &&
        (first == null || (Number(first) >= urlIds.first && Number(last) <= urlIds.last));
      if (!isOwn) throw new ConfigError(`the file has rows of ${table} of another organization`);
    }
    rows.set(table, (rows.get(table) ?? 0) + batch.rows.length);
    const organizationId = String(organization?.id);
    // The rows of a killed import would be in the way.
    if (table === 'organizations') await removeImport(database, organizationId);
    await refuseTaken(database.read, batch, organizationId);
  }
  if (!organization) throw new ConfigError('the file has no organization');
  return { organization, rows, urlIds, file };
}

/** Returns the range of links of a row of visits, which threads of all organizations decode. */
function rangeOf(row: Row): Row {
  const visits = row.visits as Uint8Array;
  try {
    const columns = decodeColumns(visits);
    checkColumns(visits);
    return toRow(columns);
  } catch (cause) {
    const { message } = cause as Error;
    throw new ConfigError(`the visits cannot be decoded: ${message}`, { cause });
  }
}

/** Throws for values that must be unique and that another organization has. */
async function refuseTaken(
  db: Kysely<Schema>,
  { table, rows }: TransferBatch,
  organizationId: string,
): Promise<void> {
  for (const { column, flag } of uniqueColumnsOf(table)) {
    const wanted = rows.filter((row) => flag === undefined || row[flag] === 1);
    if (wanted.length === 0) continue;
    const isFlagged = flag === undefined ? sql`true` : sql`${sql.ref(flag)} = 1`;
    const { rows: taken } = await sql<{ value: Value }>`
      select ${sql.ref(column)} as value from ${sql.table(table)} where ${isFlagged}
        and ${sql.ref(column)} in (${sql.join(wanted.map((row) => row[column]))})`.execute(db);
    refuse(`${table}.${column}`, ...taken.map(({ value }) => value));
  }
  if (table !== 'url_keys') return;
  const keys = rows as unknown as readonly Schema['url_keys'][];
  const forms = keys.flatMap((key) => [key, { ...key, folded_key: null }]);
  const owners = await findKeyOwners(db, forms);
  const used = forms.filter((each) => owners.has(mapKeyOf(each)));
  refuse('url_keys.key', ...used.map(({ key }) => key));
  const retired = await findRetiredKeys(db, keys, organizationId);
  const whose = '(of a deleted organization or an erased link)';
  refuse('url_keys.key', ...retired.map(({ key }) => `${key} ${whose}`));
}

function refuse(column: string, ...taken: readonly Value[]): void {
  if (taken.length === 0) return;
  const names = [...new Set(taken)].slice(0, namesShown).join(', ');
  const more = taken.length > namesShown ? ' and more' : '';
  throw new ConfigError(
    `${column}: this database already has ${names}${more}; nothing was imported`,
  );
}

/**
 * Reserves the ids of the links. Returns the number to add to each id; 0 if no link ever had an id in
 * the file's range. Journals may still have visits of links that were deleted.
 */
async function reserveIds(
  transaction: WriteTransaction,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<number> {
  if (first > last) return 0;
  const { numAffectedRows } = await sql`update url_id_counter set last_id = ${last}
    where last_id < ${first}`.execute(transaction);
  if (numAffectedRows) return 0;
  return (await reserveUrlIds(transaction, last - first + 1)) - first;
}

/** Adds to the ids of links, and computes what an export has not. */
function toStored(table: Table, row: Row, urlIdShift: number, ignoreCase: boolean): Row {
  if (table === 'visits') {
    const columns = decodeColumns(row.visits as Uint8Array);
    const urlIds = columns.urlIds.map((id) => id + urlIdShift);
    return { ...row, ...toRow({ ...columns, urlIds }) };
  }
  if (table === 'urls') {
    const search_text = searchTextOf(row as unknown as Schema['urls']);
    const settings_hash = settingsHashOf(row);
    const id = Number(row.id) + urlIdShift;
    // The resolver of the other server has set it. This one may have none, and would keep it for ever.
    return { ...row, search_text, settings_hash, id, target_blocked_at: null };
  }
  if (table === 'webhooks' && row.filters !== null) {
    const { urlIds, ...others } = JSON.parse(String(row.filters)) as EventFilters;
    const shifted = urlIds && { urlIds: urlIds.map((id) => id + urlIdShift) };
    return { ...row, filters: JSON.stringify({ ...others, ...shifted }) };
  }
  const shifted = row.url_id == null ? row : { ...row, url_id: Number(row.url_id) + urlIdShift };
  if (table !== 'url_keys' || row.domain_key !== '') return shifted;
  return { ...shifted, folded_key: ignoreCase ? foldKey(String(row.key)) : null };
}
