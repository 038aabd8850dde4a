import type { Kysely } from 'kysely';
import {
  findCompaction,
  readBatches,
  span,
  visitsPerChunk,
} from '../../analytics/ingest/chunk-repository.js';
import { decodeColumns, encodeColumns } from '../../analytics/ingest/columns-codec.js';
import { type VisitColumns, VisitColumnsBuilder } from '../../analytics/ingest/visit-columns.js';
import { prepare } from '../../storage/prepared.js';
import type { Schema, VisitChunkTable } from '../../storage/schema.js';

interface Place {
  readonly columns: VisitColumns;
  readonly at: number;
}

// 4 MB at most.
const chunksAtOnce = 64;

/**
 * The visits of some links as full chunks, numbered from 0, those that were not sorted yet included:
 * the same visits in the same order are the same bytes, however they are stored.
 */
export class SortedVisits {
  readonly #db: Kysely<Schema>;
  readonly #waiting: ReadonlyMap<number, readonly Place[]>;
  readonly #chunksBehind;

  private constructor(db: Kysely<Schema>, waiting: ReadonlyMap<number, readonly Place[]>) {
    this.#db = db;
    this.#waiting = waiting;
    this.#chunksBehind = prepare(
      db
        .selectFrom('visit_chunks')
        .select(['number', 'visits'])
        .where('url_id', '=', 0)
        .where('number', '>', 0)
        .orderBy('number')
        .limit(1),
    );
  }

  /** In memory is what waits to be sorted: a minute's visits, usually. */
  static async open(db: Kysely<Schema>): Promise<SortedVisits> {
    const waiting = new Map<number, Place[]>();
    const compaction = await findCompaction(db);
    for (const { id, columns } of await readBatches(db, 0)) {
      const from = compaction && id <= compaction.upToBatch ? compaction.nextUrl : 0;
      for (const [at, urlId] of (columns.urlIds ?? []).entries()) {
        if (urlId < from) continue;
        const places = waiting.get(urlId);
        if (places) places.push({ columns, at });
        else waiting.set(urlId, [{ columns, at }]);
      }
    }
    return new SortedVisits(db, waiting);
  }

  async *chunksOf(urlId: number): AsyncGenerator<VisitChunkTable> {
    let number = 0;
    let builder = new VisitColumnsBuilder(visitsPerChunk);
    const finish = (): VisitChunkTable => {
      const columns = builder.finish();
      builder = new VisitColumnsBuilder(visitsPerChunk);
      number += 1;
      return {
        url_id: urlId,
        number: number - 1,
        ...span(columns),
        visit_count: columns.count,
        visits: encodeColumns(columns),
      };
    };
    for await (const places of this.#placesOf(urlId)) {
      for (const { columns, at } of places) {
        builder.addFrom(columns, at);
        if (builder.count === visitsPerChunk) yield finish();
      }
    }
    if (builder.count > 0) yield finish();
  }

  /** The visits of a link in the order of their arrival, a chunk at a time. */
  async *#placesOf(urlId: number): AsyncGenerator<readonly Place[]> {
    let last = -1;
    for (;;) {
      const query = this.#chunksBehind(urlId, last, chunksAtOnce);
      const { rows } = await this.#db.executeQuery(query);
      for (const { visits } of rows) {
        const columns = decodeColumns(visits);
        yield Array.from({ length: columns.count }, (_, at) => ({ columns, at }));
      }
      if (rows.length < chunksAtOnce) break;
      last = rows.at(-1)?.number ?? last;
    }
    yield this.#waiting.get(urlId) ?? [];
  }
}
