import type { Kysely } from 'kysely';
import type { EventOutbox } from '../../events/event-outbox.js';
import { recordThresholds } from '../../events/record-thresholds.js';
import { urlClickThreshold } from '../../events/threshold-events.js';
import { countUses } from '../../organizations/usage-meters.js';
import type { Database, Schema, WriteTransaction } from '../../storage/database.js';
import { prepare } from '../../storage/prepared.js';
import type { Journalled } from '../journal/journal-lines.js';
import type { JournalPosition } from '../journal/journal-reader.js';
import type { Visit } from '../journal/visit.js';
import { encodeColumns } from './columns-codec.js';
import { countDownloads } from './count-downloads.js';
import { ScanCounter } from './scan-counter.js';
import { type VisitColumns, VisitColumnsBuilder } from './visit-columns.js';

export interface VisitRepositoryOptions {
  readonly outbox: EventOutbox;
  /** Click counts that are told of as events, in ascending order. */
  readonly thresholds: readonly number[];
}

/** Where every journal begins. */
export const journalStart: JournalPosition = { segment: 1, offset: 0 };

// One statement counts for so many links; its text is built once.
const linksAtOnce = 128;

/** Visits and what follows from them. */
export class VisitRepository {
  readonly #database: Database;
  readonly #outbox: EventOutbox;
  readonly #thresholds: readonly number[];
  readonly #addClicks;
  readonly #scans: ScanCounter;

  constructor(database: Database, { outbox, thresholds }: VisitRepositoryOptions) {
    this.#database = database;
    this.#outbox = outbox;
    this.#thresholds = thresholds;
    this.#scans = new ScanCounter(database.read, { outbox, thresholds });
    this.#addClicks = {
      1: addClicks(database.read, 1),
      [linksAtOnce]: addClicks(database.read, linksAtOnce),
    } as const;
  }

  /** How far a writer's journal is in storage. */
  async findPosition(writerId: string): Promise<JournalPosition> {
    return (await this.#findKnownPosition(writerId)) ?? journalStart;
  }

  /** Whether anything of a writer's journal has reached storage, and the writer is not forgotten. */
  async hasPosition(writerId: string): Promise<boolean> {
    return (await this.#findKnownPosition(writerId)) !== undefined;
  }

  /**
   * Stores the visits between two positions of a journal, exactly once: the visits, the counts, the
   * events of thresholds and the position are one transaction, and nothing is done when the journal
   * is not at `from` any more. Tells whether it was done. What else the lines tell of is counted.
   */
  store(
    writerId: string,
    from: JournalPosition,
    to: JournalPosition,
    visits: readonly Visit[],
    now: number,
    { downloads, calls }: Partial<Omit<Journalled, 'visits'>> = {},
  ): Promise<boolean> {
    return this.#database.write(async (transaction) => {
      if (!(await this.#advance(transaction, writerId, from, to))) return false;
      if (downloads) await countDownloads(transaction, downloads);
      if (calls) await countUses(transaction, 'api_call', calls);
      if (visits.length === 0) return true;
      await transaction
        .insertInto('visit_batches')
        .values({
          created_at: now,
          visit_count: visits.length,
          visits: encodeColumns(columnsOf(visits)),
        })
        .execute();
      const counts = new Map<number, number>();
      for (const { urlId, facts } of visits) {
        if (facts.kind === 'human') counts.set(urlId, (counts.get(urlId) ?? 0) + 1);
      }
      await this.#count(transaction, counts, now);
      await this.#scans.count(transaction, visits, now);
      return true;
    }, 'visits');
  }

  /** Forgets a writer whose journal is gone. */
  async forgetWriter(writerId: string): Promise<void> {
    await this.#database.write(
      (transaction) =>
        transaction.deleteFrom('journal_positions').where('writer_id', '=', writerId).execute(),
      'visits',
    );
  }

  #findKnownPosition(writerId: string): Promise<JournalPosition | undefined> {
    return this.#database.read
      .selectFrom('journal_positions')
      .select(['segment', 'offset'])
      .where('writer_id', '=', writerId)
      .executeTakeFirst();
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
    added: ReadonlyMap<number, number>,
    now: number,
  ): Promise<void> {
    const entries = [...added];
    for (let start = 0; start < entries.length; ) {
      const size = entries.length - start < linksAtOnce ? 1 : linksAtOnce;
      const part = entries.slice(start, start + size);
      start += size;
      const { rows } = await transaction.executeQuery(this.#addClicks[size](...part.flat()));
      for (const { url_id, clicks } of rows) {
        await recordThresholds(
          transaction,
          this.#outbox,
          this.#thresholds,
          {
            event: urlClickThreshold,
            id: String(url_id),
            urlId: url_id,
            count: clicks,
            added: added.get(url_id) ?? 0,
          },
          now,
        );
      }
    }
  }
}

/** Adds clicks to the counts of so many links; their new counts. */
function addClicks(db: Kysely<Schema>, links: number) {
  return prepare(
    db
      .insertInto('url_clicks')
      .values(Array.from({ length: links }, () => ({ url_id: 0, clicks: 0 })))
      .onConflict((conflict) =>
        conflict.column('url_id').doUpdateSet(({ ref, eb }) => ({
          clicks: eb('url_clicks.clicks', '+', ref('excluded.clicks')),
        })),
      )
      .returning(['url_id', 'clicks']),
  );
}

function columnsOf(visits: readonly Visit[]): VisitColumns {
  const builder = new VisitColumnsBuilder(visits.length, { ofManyUrls: true });
  for (const visit of visits) builder.add(visit);
  return builder.finish();
}
