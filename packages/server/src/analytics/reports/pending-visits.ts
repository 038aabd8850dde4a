import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import {
  type Batch,
  findCompactionOfBatch,
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
    this.#storedBatches = prepare(() => selectStoredBatches(db));
  }

  /**
   * Yields the visits of the wanted URLs that are not in the chunks of their URLs.
   */
  async *ofUrls(
    db: Kysely<Schema>,
    isWanted: (urlId: number) => boolean,
  ): AsyncGenerator<StoredVisits> {
    const { batches, compactionOf } = await this.#read(db);
    for (const { id, columns } of batches) {
      const firstPending = firstPendingUrl(compactionOf, id);
      const isPending = (urlId: number) => urlId >= firstPending && isWanted(urlId);
      const indexes = indexesOf(columns, isPending);
      if (indexes.length > 0) yield { columns, indexes };
    }
  }

  /** Yields the visits of an organization that are not in its chunks. */
  async *ofOrganization(db: Kysely<Schema>, organizationId: string): AsyncGenerator<StoredVisits> {
    const { batches, compactionOf } = await this.#read(db);
    const own: (StoredVisits & { readonly id: number })[] = [];
    for (const batch of batches) {
      const indexes = (await this.#groupByOrganization(db, batch)).get(organizationId);
      if (indexes) own.push({ id: batch.id, columns: batch.columns, indexes });
    }
    for (const visits of pendingOfOrganization(compactionOf, organizationId, own)) {
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

  /** Reads all batches. */
  async #read(db: Kysely<Schema>) {
    const { rows: stored } = await db.executeQuery(this.#storedBatches({}));
    const known = new Map(
      stored.flatMap(({ id, visitCount }) => {
        const batch = this.#batches.get(id);
        return batch?.columns.count === visitCount ? [[id, batch] as const] : [];
      }),
    );
    const ids = stored.map(({ id }) => id);
    const missing = ids.filter((id) => !known.has(id));
    for (const batch of await readBatches(db, missing)) known.set(batch.id, batch);
    this.#batches = known;
    const batches = ids.map((id) => known.get(id) as Batch);
    return { batches, compactionOf: await findCompactionOfBatch(db) };
  }
}

/** Selects the keys of the stored batches. */
function selectStoredBatches(db: Kysely<Schema>) {
  return db.selectFrom('visit_batches').select(['id', 'visit_count as visitCount']).orderBy('id');
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
