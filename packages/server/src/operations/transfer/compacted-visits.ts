import type { Kysely } from 'kysely';
import { decodeColumns, toChunk } from '../../analytics/ingest/columns-codec.js';
import {
  findCompaction,
  firstPendingUrl,
  readBatches,
  visitsPerChunk,
} from '../../analytics/ingest/read-stored-visits.js';
import { type VisitColumns, VisitColumnsBuilder } from '../../analytics/ingest/visit-columns.js';
import { prepare } from '../../storage/prepared.js';
import type { Schema, VisitChunkTable } from '../../storage/schema.js';

interface VisitPosition {
  readonly columns: VisitColumns;
  readonly at: number;
}

// At most 4 MB.
const chunksAtOnce = 64;

/**
 * Reads the visits of links as full chunks, numbered from 0, including visits that are not compacted
 * yet. The same visits in the same order yield the same bytes, however they are stored.
 */
export class CompactedVisits {
  readonly #db: Kysely<Schema>;
  readonly #uncompacted: ReadonlyMap<number, readonly VisitPosition[]>;
  readonly #chunksAfter;

  private constructor(
    db: Kysely<Schema>,
    uncompacted: ReadonlyMap<number, readonly VisitPosition[]>,
  ) {
    this.#db = db;
    this.#uncompacted = uncompacted;
    this.#chunksAfter = prepare(
      db
        .selectFrom('visit_chunks')
        .select(['number', 'visits'])
        .where('url_id', '=', 0)
        .where('number', '>', 0)
        .orderBy('number')
        .limit(1),
    );
  }

  /** Loads the uncompacted visits into memory, usually those of one minute. */
  static async open(db: Kysely<Schema>): Promise<CompactedVisits> {
    const uncompacted = new Map<number, VisitPosition[]>();
    const compaction = await findCompaction(db);
    for (const { id, columns } of await readBatches(db, 0)) {
      const firstPending = firstPendingUrl(compaction, id);
      for (const [at, urlId] of (columns.urlIds ?? []).entries()) {
        if (urlId < firstPending) continue;
        const positions = uncompacted.get(urlId);
        if (positions) positions.push({ columns, at });
        else uncompacted.set(urlId, [{ columns, at }]);
      }
    }
    return new CompactedVisits(db, uncompacted);
  }

  async *chunksOf(urlId: number): AsyncGenerator<VisitChunkTable> {
    let number = 0;
    let builder = new VisitColumnsBuilder(visitsPerChunk);
    const finish = (): VisitChunkTable => {
      const chunk = toChunk(builder.finish());
      builder = new VisitColumnsBuilder(visitsPerChunk);
      number += 1;
      return { url_id: urlId, number: number - 1, ...chunk };
    };
    for await (const positions of this.#positionsOf(urlId)) {
      for (const { columns, at } of positions) {
        builder.addFrom(columns, at);
        if (builder.count === visitsPerChunk) yield finish();
      }
    }
    if (builder.count > 0) yield finish();
  }

  /** Yields the visits of a link in the order of arrival, a chunk at a time. */
  async *#positionsOf(urlId: number): AsyncGenerator<readonly VisitPosition[]> {
    let last = -1;
    for (;;) {
      const query = this.#chunksAfter(urlId, last, chunksAtOnce);
      const { rows } = await this.#db.executeQuery(query);
      for (const { visits } of rows) {
        const columns = decodeColumns(visits);
        yield Array.from({ length: columns.count }, (_, at) => ({ columns, at }));
      }
      if (rows.length < chunksAtOnce) break;
      last = rows.at(-1)?.number ?? last;
    }
    yield this.#uncompacted.get(urlId) ?? [];
  }
}
