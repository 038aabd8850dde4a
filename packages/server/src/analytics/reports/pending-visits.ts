import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import {
  type Batch,
  type Compaction,
  findOrganizations,
  firstPendingUrl,
  pendingOfOrganization,
  readBatches,
  type StoredVisits,
} from '../ingest/read-stored-visits.js';
import type { VisitColumns } from '../ingest/visit-columns.js';

/** Reads the visits that are in batches, and not in chunks yet. */
export class PendingVisits {
  readonly #storedBatches;
  /** A cache of the stored batches by id. Erasures change the number of visits of one. */
  #batches: ReadonlyMap<number, Batch> = new Map();
  /** The indexes of each organization's visits. The organization of a URL never changes. */
  readonly #byOrganization = new WeakMap<Batch, ReadonlyMap<string, Uint32Array>>();

  constructor(db: Kysely<Schema>) {
    this.#storedBatches = prepare(selectStoredBatches(db));
  }

  /** Yields the visits of the wanted URLs that are not in the chunks of their URLs. */
  async *ofUrls(
    db: Kysely<Schema>,
    isWanted: (urlId: number) => boolean,
  ): AsyncGenerator<StoredVisits> {
    const { batches, compaction } = await this.#read(db);
    for (const { id, columns } of batches) {
      const firstPending = firstPendingUrl(compaction, id);
      const isPending = (urlId: number) => urlId >= firstPending && isWanted(urlId);
      const indexes = indexesOf(columns, isPending);
      if (indexes.length > 0) yield { columns, indexes };
    }
  }

  /** Yields the visits of an organization that are not in its chunks. */
  async *ofOrganization(db: Kysely<Schema>, organizationId: string): AsyncGenerator<StoredVisits> {
    const { batches, compaction } = await this.#read(db);
    const own: (StoredVisits & { readonly id: number })[] = [];
    for (const batch of batches) {
      const indexes = (await this.#groupByOrganization(db, batch)).get(organizationId);
      if (indexes) own.push({ id: batch.id, columns: batch.columns, indexes });
    }
    for (const visits of pendingOfOrganization(compaction, organizationId, own)) {
      if (visits.indexes.length > 0) yield visits;
    }
  }

  async #groupByOrganization(
    db: Kysely<Schema>,
    batch: Batch,
  ): Promise<ReadonlyMap<string, Uint32Array>> {
    const known = this.#byOrganization.get(batch);
    if (known) return known;
    const { urlIds } = batch.columns;
    const organizations = await findOrganizations(db, urlIds);
    const indexes = new Map<string, number[]>();
    for (let index = 0; index < urlIds.length; index += 1) {
      const organizationId = organizations.get(urlIds[index] as number);
      if (organizationId === undefined) continue;
      const own = indexes.get(organizationId);
      if (own) own.push(index);
      else indexes.set(organizationId, [index]);
    }
    const grouped = new Map(Array.from(indexes, ([id, own]) => [id, Uint32Array.from(own)]));
    this.#byOrganization.set(batch, grouped);
    return grouped;
  }

  async #read(db: Kysely<Schema>) {
    const { rows: stored } = await db.executeQuery(this.#storedBatches());
    const cached = new Map(this.#batches);
    for (const { id, visitCount } of stored) {
      if (cached.get(id)?.columns.count !== visitCount) cached.delete(id);
    }
    const firstMissing = stored.find(({ id }) => !cached.has(id));
    const read = firstMissing ? await readBatches(db, firstMissing.id - 1) : [];
    const added = new Map(read.map((batch) => [batch.id, batch]));
    const batches = stored.map(({ id }) => (added.get(id) ?? cached.get(id)) as Batch);
    this.#batches = new Map(batches.map((batch) => [batch.id, batch]));
    const [first] = stored;
    // The compaction is null in each row if there is none.
    const isRunning = first !== undefined && first.upToBatch !== null;
    return { batches, compaction: isRunning ? (first as Compaction) : undefined };
  }
}

/** Selects the ids of the stored batches, each with the running compaction, if there is one. */
function selectStoredBatches(db: Kysely<Schema>) {
  return db
    .selectFrom('visit_batches')
    .leftJoin('visit_compactions', (join) => join.onTrue())
    .select([
      'visit_batches.id',
      'visit_count as visitCount',
      'up_to_batch as upToBatch',
      'next_url as nextUrl',
      'next_organization as nextOrganization',
      'next_visit as nextVisit',
    ])
    .orderBy('visit_batches.id');
}

/** Returns the indexes of the visits of wanted URLs. */
function indexesOf(
  { count, urlIds }: VisitColumns,
  isWanted: (urlId: number) => boolean,
): Uint32Array {
  const indexes = new Uint32Array(count);
  let found = 0;
  for (let index = 0; index < count; index += 1) {
    if (!isWanted(urlIds[index] as number)) continue;
    indexes[found] = index;
    found += 1;
  }
  return indexes.subarray(0, found);
}
