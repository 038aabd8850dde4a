import { type Kysely, sql } from 'kysely';
import type { Database, Schema } from '../../storage/database.js';
import { type JournalRecords, parseTexts } from '../journal/journal-lines.js';
import { findOrganizations } from './read-stored-visits.js';

/** Lines of a journal. Those of organizations with locked rows are to be stored later. */
export interface SeparatedTexts {
  readonly free: readonly string[];
  readonly lockedOf: ReadonlyMap<string, readonly string[]>;
}

/**
 * Separates the lines whose counters another transaction has locked, and the other lines of the same
 * organizations. For PostgreSQL, where transactions change rows at the same time.
 */
export async function separateLocked(
  database: Pick<Database, 'writeDirectly'>,
  texts: readonly string[],
): Promise<SeparatedTexts> {
  const lines = texts.map((text) => ({ text, owner: ownerOf(parseTexts([text])) }));
  // The locks of the probe end with its transaction.
  return database.writeDirectly(async (db) => {
    const idsOf = (kind: Owner['kind']) => [
      ...new Set(lines.flatMap(({ owner }) => (owner?.kind === kind ? [owner.id] : []))),
    ];
    const urlIds = idsOf('url').map(Number);
    const organizationOfUrl = await findOrganizations(db, urlIds);
    const qrs = await findQrCodes(db, urlIds, idsOf('qr'));
    const organizationOfQr = new Map(qrs.map((qr) => [qr.id, qr.organizationId]));
    const organizationOf = (owner: Owner | undefined): string | undefined => {
      if (owner?.kind === 'url') return organizationOfUrl.get(Number(owner.id));
      return owner?.kind === 'qr' ? organizationOfQr.get(owner.id) : owner?.id;
    };
    const organizationIds = [...new Set(lines.flatMap(({ owner }) => organizationOf(owner) ?? []))];
    const counters = await findLocked(db, 'url_clicks', 'url_id', urlIds);
    const leases = await findLocked(db, 'click_leases', 'url_id', urlIds);
    const scans = await findLocked(db, 'qr_counts', 'qr_id', [...organizationOfQr.keys()]);
    const locked = new Set<string | undefined>([
      ...counters.map((id) => organizationOfUrl.get(Number(id))),
      ...leases.map((id) => organizationOfUrl.get(Number(id))),
      ...scans.map((id) => organizationOfQr.get(id)),
      ...(await findLocked(db, 'usage_meters', 'organization_id', organizationIds)),
      // Events and new meters refer to it.
      ...(await findLocked(db, 'organizations', 'id', organizationIds, 'key share')),
      // Deliveries of threshold events refer to it.
      ...(await findLocked(db, 'webhooks', 'organization_id', organizationIds, 'key share')),
    ]);
    const free: string[] = [];
    const lockedOf = new Map<string, string[]>();
    for (const { text, owner } of lines) {
      const organizationId = organizationOf(owner);
      if (organizationId === undefined || !locked.has(organizationId)) {
        free.push(text);
        continue;
      }
      const own = lockedOf.get(organizationId);
      if (own) own.push(text);
      else lockedOf.set(organizationId, [text]);
    }
    return { free, lockedOf };
  }, 'rows');
}

/** The record that a line belongs to. */
interface Owner {
  readonly kind: 'url' | 'qr' | 'organization';
  readonly id: string;
}

function ownerOf({ visits, downloads, calls }: JournalRecords): Owner | undefined {
  const [visit] = visits;
  if (visit) return { kind: 'url', id: String(visit.urlId) };
  for (const qrId of downloads.keys()) return { kind: 'qr', id: qrId };
  for (const [organizationId] of calls) return { kind: 'organization', id: organizationId };
  return undefined;
}

/** Returns the QR codes of URLs, and those with these ids. */
async function findQrCodes(db: Kysely<Schema>, urlIds: readonly number[], ids: readonly string[]) {
  const { rows } = await sql<{ id: string; organizationId: string }>`
    select id, organization_id as "organizationId" from qr_codes
    where url_id = any(${urlIds}::bigint[]) or id = any(${ids}::text[])`.execute(db);
  return rows;
}

/** Returns which of these keys have a row that another transaction has locked. */
async function findLocked(
  db: Kysely<Schema>,
  table:
    | 'url_clicks'
    | 'click_leases'
    | 'qr_counts'
    | 'usage_meters'
    | 'organizations'
    | 'webhooks',
  column: string,
  keys: readonly (string | number)[],
  mode: 'update' | 'key share' = 'update',
): Promise<readonly string[]> {
  const key = sql.ref(column);
  const type = sql.raw(column === 'url_id' ? 'bigint[]' : 'text[]');
  const own = sql`from ${sql.table(table)} where ${key} = any(${keys}::${type})`;
  const { rows } = await sql<{ key: string | number }>`
    with free as materialized (select ctid ${own} for ${sql.raw(mode)} skip locked)
    select distinct ${key} as key ${own} and ctid not in (select ctid from free)`.execute(db);
  return rows.map((row) => String(row.key));
}
