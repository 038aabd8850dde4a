import { sql } from 'kysely';
import { joinErrors } from '../../lifecycle.js';
import type { Database } from '../../storage/database.js';
import { bulkInsert } from '../../storage/statements.js';
import { yieldToEventLoop } from '../../yield-to-event-loop.js';
import { toRow, type VisitRef, visitsPerRow } from './columns-codec.js';
import { decodeRow, UnreadableRowError } from './stored-visits.js';
import { VisitColumnsBuilder } from './visit-columns.js';

// The visits of one merge: about 6 MB.
const maxVisits = 60_000;
const rowsPerMerge = 256;
// An organization is merged when it has so many waiting visits or rows, or when one is so old.
const waitingVisits = 40_000;
const waitingRows = 128;
const waitingMs = 60_000;
// A link with more visits than a row has rows of its own, so its report decodes few rows, and all of each.
const visitsPerLinkRow = 8_192;
// Rows of level 1 become rows of level 2, which are sorted by link among more visits.
const rowsToMergeAgain = 24;

/**
 * Merges the visits of the organizations that have many rows. Ends early when the signal aborts. Throws at
 * the end if rows of some cannot be read: the others must not wait for them.
 */
export async function mergeVisits(
  database: Database,
  now: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const { rows } = await sql<{ organizationId: string }>`
    select organization_id as "organizationId" from visits where level = 0
    group by organization_id
    having sum(visit_count) >= ${waitingVisits} or count(*) >= ${waitingRows}
      or min(stored_at) <= ${now - waitingMs}`.execute(database.read);
  const errors: UnreadableRowError[] = [];
  for (const { organizationId } of rows) {
    if (signal?.aborted) break;
    try {
      await mergeLevel(database, organizationId, 0);
      await mergeLevel(database, organizationId, 1);
    } catch (error) {
      if (!(error instanceof UnreadableRowError)) throw error;
      errors.push(error);
    }
    await yieldToEventLoop();
  }
  if (errors.length > 0) throw joinErrors('some visits were not merged', errors);
  return rows.length > 0;
}

/**
 * Replaces rows of a level by rows of the next one, which are sorted by link and time. Readers see the
 * old rows or the new ones. Does nothing if another process has changed one of the rows meanwhile.
 */
async function mergeLevel(database: Database, organizationId: string, level: 0 | 1): Promise<void> {
  const ofOrganization = database.read
    .selectFrom('visits')
    .select(['id', 'visit_count', 'visits', 'stored_at'])
    .where('organization_id', '=', organizationId);
  const waiting = await ofOrganization
    .where('level', '=', level)
    .orderBy('id')
    .limit(rowsPerMerge)
    .execute();
  if (waiting.length < (level === 0 ? 1 : rowsToMergeAgain)) return;
  let count = 0;
  const merged = waiting.filter(({ visit_count }, at) => {
    count += visit_count;
    return count <= maxVisits || at === 0;
  });
  // The last row of the merge before may have space.
  const last = await ofOrganization
    .where('level', '=', level + 1)
    .where('visit_count', '<', visitsPerRow)
    .orderBy('id', 'desc')
    .limit(1)
    .execute();
  const old = [...last, ...merged];
  const refs: VisitRef[] = [];
  for (const row of old) {
    const columns = decodeRow(row, { isRewritten: true });
    for (let index = 0; index < columns.count; index += 1) refs.push({ columns, index });
  }
  refs.sort(
    (a, b) =>
      urlIdOf(a) - urlIdOf(b) ||
      (a.columns.visitedAt[a.index] as number) - (b.columns.visitedAt[b.index] as number),
  );
  const storedAt = Math.max(...old.map(({ stored_at }) => Number(stored_at)));
  const rows = [...packRows(refs)].map((row) => ({
    organization_id: organizationId,
    level: level + 1,
    stored_at: storedAt,
    ...row,
  }));
  await database.writeDirectly(
    async (transaction) => {
      const oldIds = old.map(({ id }) => id);
      const found = await transaction
        .selectFrom('visits')
        .select(['id', 'visit_count'])
        .where('id', 'in', oldIds)
        .execute();
      // An erasure rewrites rows under the same lock.
      const counts = new Map(found.map(({ id, visit_count }) => [id, visit_count]));
      if (old.some(({ id, visit_count }) => counts.get(id) !== visit_count)) return;
      await transaction.deleteFrom('visits').where('id', 'in', oldIds).execute();
      await bulkInsert(transaction, 'visits', rows);
    },
    { organizationId },
  );
}

function* packRows(refs: readonly VisitRef[]) {
  for (let start = 0; start < refs.length; ) {
    const next = refs.slice(start, start + visitsPerLinkRow);
    const urlId = urlIdOf(next[0] as VisitRef);
    const others = next.findIndex((ref) => urlIdOf(ref) !== urlId);
    const part = others < 0 ? next : next.slice(0, Math.max(others, visitsPerRow));
    start += part.length;
    const builder = new VisitColumnsBuilder(part.length);
    for (const { columns, index } of part) builder.addFrom(columns, index);
    yield toRow(builder.finish());
  }
}

function urlIdOf({ columns, index }: VisitRef): number {
  return columns.urlIds[index] as number;
}
