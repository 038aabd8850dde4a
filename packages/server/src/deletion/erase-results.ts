import { sql } from 'kysely';
import type { ErasedLink } from '../analytics/ingest/erasure-marks.js';
import { type Database, operatorOwner, type Schema } from '../storage/database.js';
import { readInSlices } from '../storage/read-in-batches.js';

type StoredResult = Pick<Schema['idempotency_keys'], 'key' | 'result'>;

/**
 * Empties the records of a link, and of its QR codes, in the stored results of writes. The results remain, so
 * that a repeated request still does nothing twice.
 */
export async function eraseResults(
  database: Database,
  { urlId, organizationId }: ErasedLink,
  signal?: AbortSignal,
): Promise<void> {
  // The operator may have taken the link down.
  for (const owner of [organizationId, operatorOwner]) {
    await eraseResultsOf(database, owner, urlId, signal);
  }
}

async function eraseResultsOf(
  { read, writeDirectly }: Database,
  owner: string,
  urlId: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const results = sql`from idempotency_keys as own where organization_id = ${owner}`;
  for await (const row of readInSlices<StoredResult>(read, results, ['key'], signal)) {
    const { key, result } = row;
    const rest = eraseInResult(result, urlId);
    if (rest === result) continue;
    await writeDirectly(
      (transaction) =>
        transaction
          .updateTable('idempotency_keys')
          .set({ result: rest })
          .where('organization_id', '=', owner)
          .where('key', '=', key)
          .where('result', '=', result)
          .execute(),
      owner === operatorOwner ? 'records' : { organizationId: owner },
    );
  }
}

/** Returns a result without the content of a link. Returns the same text if it has none. */
export function eraseInResult(result: string, urlId: number): string {
  // An encrypted result has no link.
  if (!result.includes(String(urlId)) || !/^[[{]/.test(result)) return result;
  let isChanged = false;
  const erased = JSON.stringify(JSON.parse(result), (_, value: unknown) => {
    if (!isRecordOf(value, urlId)) return value;
    const rest = emptied(value);
    if (JSON.stringify(rest) !== JSON.stringify(value)) isChanged = true;
    return rest;
  });
  return isChanged ? erased : result;
}

type StoredRecord = Readonly<Record<string, unknown>>;

/** Returns whether a value is a record of the link with its target, or of one of its QR codes. */
function isRecordOf(value: unknown, urlId: number): value is StoredRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as StoredRecord;
  const isUrl = 'targetUrl' in record && String(record.id) === String(urlId);
  return isUrl || ('qrData' in record && String(record.urlId) === String(urlId));
}

/** What remains of a link: which one it is, and when it was changed. */
const retained: ReadonlySet<string> = new Set([
  'id',
  'index',
  'organizationId',
  'domainId',
  'hostname',
  'shortCode',
  'customSlug',
  'shortUrl',
  'createdAt',
  'updatedAt',
  'deletedAt',
]);

/** The values of the fields that cannot be null. */
const emptyValues: StoredRecord = {
  targetUrl: '',
  tags: [],
  rules: [],
  customUtmParams: {},
  redirectType: 302,
  isPasswordProtected: false,
  isActive: false,
  clickCount: 0,
  importedClicks: 0,
  erasedClicks: 0,
};

function emptied(record: StoredRecord): StoredRecord {
  if ('qrData' in record) return { ...record, qrData: '', logoUrl: null };
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      retained.has(name) ? value : (emptyValues[name] ?? null),
    ]),
  );
}
