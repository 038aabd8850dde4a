import { type RawBuilder, sql } from 'kysely';
import type { EventOutbox } from '../events/event-outbox.js';
import type { JournalPosition } from '../journal/journal-reader.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { encodeColumns } from './columns-codec.js';
import type { Visit } from './visit.js';
import { type VisitColumns, VisitColumnsBuilder } from './visit-columns.js';

export interface VisitRepositoryOptions {
  readonly outbox: EventOutbox;
  /** Click counts that are told of as events, in ascending order. */
  readonly thresholds: readonly number[];
}

interface Counted {
  id: number;
  organization_id: string;
  short_code: string;
  click_count: number;
}

/** Where every journal begins. */
export const journalStart: JournalPosition = { segment: 1, offset: 0 };

// One statement counts for so many links: a short text that is prepared once.
const linksAtOnce = 256;

/** Visits and what follows from them. */
export class VisitRepository {
  readonly #database: Database;
  readonly #outbox: EventOutbox;
  readonly #thresholds: readonly number[];

  constructor(database: Database, { outbox, thresholds }: VisitRepositoryOptions) {
    this.#database = database;
    this.#outbox = outbox;
    this.#thresholds = thresholds;
  }

  /** How far a writer's journal is in storage. */
  async findPosition(writerId: string): Promise<JournalPosition> {
    const row = await this.#database.read
      .selectFrom('journal_positions')
      .select(['segment', 'offset'])
      .where('writer_id', '=', writerId)
      .executeTakeFirst();
    return row ?? journalStart;
  }

  /**
   * Stores the visits between two positions of a journal, exactly once: the visits, the counts, the
   * events of thresholds and the position are one transaction, and nothing is done when the journal
   * is not at `from` any more. Tells whether it was done.
   */
  store(
    writerId: string,
    from: JournalPosition,
    to: JournalPosition,
    visits: readonly Visit[],
    now: number,
  ): Promise<boolean> {
    return this.#database.write(async (transaction) => {
      if (!(await this.#advance(transaction, writerId, from, to))) return false;
      await transaction
        .insertInto('visit_batches')
        .values({
          created_at: now,
          visit_count: visits.length,
          visits: encodeColumns(columnsOf(visits)),
        })
        .execute();
      const counts = new Map<number, number>();
      for (const { kind, urlId } of visits) {
        if (kind === 'human') counts.set(urlId, (counts.get(urlId) ?? 0) + 1);
      }
      await this.#count(transaction, counts, now);
      return true;
    });
  }

  /** Forgets a writer whose journal is gone. */
  async forgetWriter(writerId: string): Promise<void> {
    await this.#database.write((transaction) =>
      transaction.deleteFrom('journal_positions').where('writer_id', '=', writerId).execute(),
    );
  }

  async #advance(
    transaction: WriteTransaction,
    writerId: string,
    from: JournalPosition,
    to: JournalPosition,
  ): Promise<boolean> {
    await transaction
      .insertInto('journal_positions')
      .values({ writer_id: writerId, ...journalStart })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { numUpdatedRows } = await transaction
      .updateTable('journal_positions')
      .set({ segment: to.segment, offset: to.offset })
      .where('writer_id', '=', writerId)
      .where('segment', '=', from.segment)
      .where('offset', '=', from.offset)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async #count(
    transaction: WriteTransaction,
    counts: ReadonlyMap<number, number>,
    now: number,
  ): Promise<void> {
    const entries = [...counts];
    for (let start = 0; start < entries.length; start += linksAtOnce) {
      const { rows } = await addClicks(entries.slice(start, start + linksAtOnce)).execute(
        transaction,
      );
      for (const url of rows) {
        const before = url.click_count - (counts.get(url.id) ?? 0);
        const reached = this.#thresholds.filter(
          (threshold) => before < threshold && threshold <= url.click_count,
        );
        if (reached.length === 0) continue;
        await this.#outbox.record(
          transaction,
          url.organization_id,
          'url.click_threshold',
          now,
          () =>
            reached.map((threshold) => ({
              id: String(url.id),
              shortCode: url.short_code,
              threshold,
              count: url.click_count,
            })),
        );
      }
    }
  }
}

function addClicks(entries: readonly (readonly [number, number])[]): RawBuilder<Counted> {
  const pairs = sql.join(entries.map(([urlId, count]) => sql`(${urlId}, ${count})`));
  return sql<Counted>`
    update urls set click_count = click_count + added.column2
    from (values ${pairs}) as added
    where urls.id = added.column1
    returning urls.id, urls.organization_id, urls.short_code, urls.click_count`;
}

function columnsOf(visits: readonly Visit[]): VisitColumns {
  const builder = new VisitColumnsBuilder(visits.length, { ofManyUrls: true });
  for (const visit of visits) builder.add(visit);
  return builder.finish();
}
