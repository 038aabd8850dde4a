import type { Kysely } from 'kysely';
import type { Page } from '../contract/fields.js';
import type { EventType } from '../events/event-types.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Database, Schema } from '../storage/database.js';
import { readList } from '../storage/list-page.js';
import type { ReplayFilter, replayStates, replayStatuses } from './replay-contract.js';

/** The number of replays of a webhook that are retained. */
const maxReplays = 100;

export type Replay = ReturnType<typeof replayOf>;

export type NewReplay = Omit<Replay, 'state' | 'processed' | 'created' | 'finishedAt'>;

/** Another replay of the webhook is running. */
export class ReplayConflictError extends Error {
  override readonly name = 'ReplayConflictError';
}

/** Stores replays. Every method is one transaction. */
export class ReplayRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Stores a running replay. Throws a ReplayConflictError if the webhook already has one. */
  create(
    organizationId: string,
    replay: NewReplay,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Replay>> {
    const { id, webhookId, since, until, status, eventTypes, total, createdAt } = replay;
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const running = await transaction
          .selectFrom('webhook_replays')
          .select('id')
          .where('organization_id', '=', organizationId)
          .where('webhook_id', '=', webhookId)
          .where('state', '=', 'running')
          .executeTakeFirst();
        if (running) {
          throw new ReplayConflictError(`The replay ${running.id} of this webhook is running`);
        }
        const retained = transaction
          .selectFrom('webhook_replays')
          .select('id')
          .where('webhook_id', '=', webhookId)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(maxReplays - 1);
        await transaction
          .deleteFrom('webhook_replays')
          .where('webhook_id', '=', webhookId)
          .where('id', 'not in', retained)
          .execute();
        await transaction
          .insertInto('webhook_replays')
          .values({
            id,
            organization_id: organizationId,
            webhook_id: webhookId,
            state: 'running',
            since,
            until,
            status,
            event_types: eventTypes && JSON.stringify(eventTypes),
            total,
            processed: 0,
            created: 0,
            // No delivery has an empty id, so this is before all deliveries of the range.
            last_created_at: since,
            last_id: '',
            created_at: createdAt,
          })
          .execute();
        return getReplay(transaction, id);
      },
      { audit: () => ({ type: 'replay', id }) },
    );
  }

  async find(webhookId: string, id: string): Promise<Replay | undefined> {
    const row = await selectReplays(this.#database.read)
      .where('webhook_id', '=', webhookId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && replayOf(row);
  }

  /** Cancels a replay if it is running. Returns null when it is unknown. */
  cancel(
    organizationId: string,
    webhookId: string,
    id: string,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Replay | null>> {
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        await transaction
          .updateTable('webhook_replays')
          .set({ state: 'cancelled', finished_at: now })
          .where('webhook_id', '=', webhookId)
          .where('id', '=', id)
          .where('state', '=', 'running')
          .execute();
        const row = await selectReplays(transaction)
          .where('webhook_id', '=', webhookId)
          .where('id', '=', id)
          .executeTakeFirst();
        return row ? replayOf(row) : null;
      },
      { audit: (replay) => replay && { type: 'replay', id } },
    );
  }
}

/** Returns one page of a webhook's replays, newest first. */
export function listReplays(
  database: Database,
  webhookId: string,
  range: ReplayFilter,
): Promise<Page<Replay>> {
  const owner = { column: 'webhook_id', value: webhookId };
  const list = { table: 'webhook_replays', owner, ...range } as const;
  return readList<string, Replay>(database, list, async (ids) => {
    const rows = await selectReplays(database.read).where('id', 'in', ids).execute();
    return rows.map(replayOf);
  });
}

async function getReplay(db: Kysely<Schema>, id: string): Promise<Replay> {
  return replayOf(await selectReplays(db).where('id', '=', id).executeTakeFirstOrThrow());
}

function selectReplays(db: Kysely<Schema>) {
  return db
    .selectFrom('webhook_replays')
    .select(['id', 'webhook_id as webhookId', 'state', 'since', 'until', 'status'])
    .select(['event_types as eventTypes', 'total', 'processed', 'created'])
    .select(['created_at as createdAt', 'finished_at as finishedAt'])
    .$narrowType<{
      state: (typeof replayStates)[number];
      status: (typeof replayStatuses)[number];
    }>();
}

type ReplayRow = Awaited<ReturnType<ReturnType<typeof selectReplays>['execute']>>[number];

function replayOf(row: ReplayRow) {
  return {
    ...row,
    eventTypes: row.eventTypes === null ? null : (JSON.parse(row.eventTypes) as EventType[]),
    // A delivery that failed after the replay had started was not counted.
    total: Math.max(row.total, row.processed),
  };
}
