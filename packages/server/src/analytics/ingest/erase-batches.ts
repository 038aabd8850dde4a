import type { Database, WriteTransaction } from '../../storage/database.js';
import { writeCompactedVisits } from '../../storage/locks.js';
import { encodeColumns, tryToDecode } from './columns-codec.js';
import { storePeaks } from './erased-counters.js';
import type { Erasure } from './erasure-marks.js';
import {
  type Compaction,
  type CompactionOfBatch,
  findCompactionOfBatch,
  findOrganizations,
  firstPendingUrl,
  type StoredVisits,
} from './read-stored-visits.js';
import { allIndexes, filterColumns, type VisitColumns } from './visit-columns.js';
import { raiseCompleteFrom } from './visit-pruner.js';

// The bytes of batches that a transaction writes again. Usually, so many have 8,000 visits.
const batchBytesPerTransaction = 1024 * 1024;

/** Batches that have erased visits. */
interface BatchesToErase {
  readonly ids: number[];
  /** The links that have some of these visits. */
  readonly urlIds: Set<number>;
  bytes: number;
}

/**
 * Writes the batches that have erased visits again, a few in each transaction. Those that transactions
 * store meanwhile, which began before the mark, are left to the last transaction of the erasure.
 */
export async function eraseStoredBatches(
  database: Database,
  erasures: readonly Erasure[],
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const { ids, urlIds } of findBatchesToErase(database, erasures, signal)) {
    await writeCompactedVisits(database, async (transaction) => {
      for (const { urlId, organizationId, until } of erasures) {
        if (!urlIds.has(urlId)) continue;
        await storePeaks(transaction, urlId);
        await raiseCompleteFrom(transaction, organizationId, until + 1);
      }
      const compactionOf = await findCompactionOfBatch(transaction);
      await eraseInBatches(transaction, erasures, compactionOf, new Map(), new Set(), ids);
    });
  }
}

/** Yields the batches that have erased visits, as many as one transaction writes. Reads without a lock. */
async function* findBatchesToErase(
  database: Database,
  erasures: readonly Erasure[],
  signal: AbortSignal | undefined,
): AsyncGenerator<BatchesToErase> {
  const untilOf = new Map(erasures.map(({ urlId, until }) => [urlId, until]));
  const batches = await database.read
    .selectFrom('visit_batches')
    .select('id')
    .orderBy('id')
    .execute();
  let found: BatchesToErase | undefined;
  for (const { id } of batches) {
    if (signal?.aborted) return;
    const row = await database.read
      .selectFrom('visit_batches')
      .select('visits')
      .where('id', '=', id)
      .executeTakeFirst();
    // Compacted meanwhile, or damaged: the last transaction reports it.
    const columns = row && tryToDecode(row.visits);
    if (!columns) continue;
    const urlIds = columns.urlIds.filter(
      (urlId, index) =>
        (columns.visitedAt[index] as number) <= (untilOf.get(urlId) ?? Number.NEGATIVE_INFINITY),
    );
    if (urlIds.length === 0) continue;
    const bytes = row.visits.length;
    if (found && found.bytes + bytes > batchBytesPerTransaction) {
      yield found;
      found = undefined;
    }
    found ??= { ids: [], urlIds: new Set(), bytes: 0 };
    found.ids.push(id);
    found.bytes += bytes;
    for (const urlId of urlIds) found.urlIds.add(urlId);
  }
  if (found && !signal?.aborted) yield found;
}

/**
 * Writes batches again without the erased visits: those with the ids `only`, or all. Adds the visits of the
 * links that remain.
 */
export async function eraseInBatches(
  transaction: WriteTransaction,
  erasures: readonly Erasure[],
  compactionOf: CompactionOfBatch,
  remaining: ReadonlyMap<number, StoredVisits[]>,
  damaged: Set<number>,
  only?: readonly number[],
): Promise<void> {
  const written = only && new Set(only);
  const untilOf = new Map(erasures.map(({ urlId, until }) => [urlId, until]));
  const progress = new OrganizationProgress(
    compactionOf,
    new Set(erasures.map(({ organizationId }) => organizationId)),
  );
  const batches = await transaction
    .selectFrom('visit_batches')
    .select('id')
    .orderBy('id')
    .execute();
  for (const { id } of batches) {
    const isWritten = written?.has(id) ?? true;
    // The progress depends on the batches before, too.
    if (!isWritten && !progress.dependsOn(id)) continue;
    const { visits } = await transaction
      .selectFrom('visit_batches')
      .select('visits')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const columns = tryToDecode(visits);
    if (!columns) {
      damaged.add(id);
      continue;
    }
    const isErased = (index: number) =>
      isWritten &&
      (columns.visitedAt[index] as number) <=
        (untilOf.get(columns.urlIds[index] as number) ?? Number.NEGATIVE_INFINITY);
    const firstPending = firstPendingUrl(compactionOf, id);
    for (const [urlId, found] of remaining) {
      // The others are in chunks, too.
      if (urlId < firstPending) continue;
      const indexes = allIndexes(columns).filter(
        (index) => columns.urlIds[index] === urlId && !isErased(index),
      );
      if (indexes.length > 0) found.push({ columns, indexes });
    }
    await progress.add(transaction, id, columns, isErased);
    if (!isWritten) continue;
    const rest = filterColumns(columns, (index) => !isErased(index));
    if (rest.count === columns.count) continue;
    const row = transaction.updateTable('visit_batches').where('id', '=', id);
    await row.set({ visit_count: rest.count, visits: encodeColumns(rest) }).execute();
  }
  await progress.store(transaction);
}

/**
 * The progress of a compaction within an organization is a number of its visits in batches, so it
 * decreases by those that are erased.
 */
class OrganizationProgress {
  readonly #compactionOf: CompactionOfBatch;
  readonly #organizationIds: ReadonlySet<string>;
  /** The visits that are in chunks and that no batch has had yet, and the erased ones. */
  readonly #counts = new Map<Compaction, { stored: number; erased: number }>();

  constructor(compactionOf: CompactionOfBatch, organizationIds: ReadonlySet<string>) {
    this.#compactionOf = compactionOf;
    this.#organizationIds = organizationIds;
  }

  /** Returns whether `add` needs the visits of a batch. */
  dependsOn(batchId: number): boolean {
    const compaction = this.#compactionOf.get(batchId);
    return (
      compaction !== undefined &&
      compaction.nextVisit > 0 &&
      this.#organizationIds.has(compaction.nextOrganization)
    );
  }

  /** Counts the visits of a batch. Batches come in ascending order. */
  async add(
    transaction: WriteTransaction,
    batchId: number,
    { urlIds }: VisitColumns,
    isErased: (index: number) => boolean,
  ): Promise<void> {
    const compaction = this.#compactionOf.get(batchId);
    if (!compaction || !this.#organizationIds.has(compaction.nextOrganization)) return;
    const counts = this.#counts.get(compaction) ?? { stored: compaction.nextVisit, erased: 0 };
    this.#counts.set(compaction, counts);
    if (counts.stored === 0) return;
    const organizations = await findOrganizations(transaction, urlIds);
    for (const [index, urlId] of urlIds.entries()) {
      if (organizations.get(urlId) !== compaction.nextOrganization) continue;
      if (counts.stored === 0) return;
      counts.stored -= 1;
      if (isErased(index)) counts.erased += 1;
    }
  }

  async store(transaction: WriteTransaction): Promise<void> {
    for (const [{ nextVisit }, { erased }] of this.#counts) {
      if (erased === 0) continue;
      await transaction
        .updateTable('visit_compactions')
        .set({ next_visit: nextVisit - erased })
        .execute();
    }
  }
}
