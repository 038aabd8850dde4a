import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { EventOutbox } from '../events/event-outbox.js';
import type { Clock } from '../ports.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';

export interface ReplayRunnerOptions {
  readonly database: Database;
  readonly outbox: Pick<EventOutbox, 'deliverAgain'>;
  readonly clock: Clock;
}

// The deliveries that one transaction reads, and creates at most. They take about 5 ms.
const batchSize = 128;
/** A replay waits while its webhook has this many due deliveries. New events wait behind them. */
export const maxDue = 1_000;
// The pause after a batch, as a multiple of its duration. It limits the share of time in which replays
// hold the write lock.
const pauseFactor = 4;

type Job = Pick<
  Schema['webhook_replays'],
  | 'id'
  | 'webhook_id'
  | 'since'
  | 'until'
  | 'status'
  | 'event_types'
  | 'processed'
  | 'created'
  | 'last_created_at'
  | 'last_id'
>;

/**
 * Creates the deliveries of replays. Each batch is a transaction that also writes the position of the
 * replay, so that a replay continues after a crash and delivers no event twice. Organizations take turns,
 * and so do the webhooks of each.
 */
export class ReplayRunner {
  readonly #options: ReplayRunnerOptions;
  /** The webhook that had the last turn, by organization. */
  #lastWebhooks = new Map<string, string>();

  constructor(options: ReplayRunnerOptions) {
    this.#options = options;
  }

  /** Runs batches until each replay is finished or waits. Returns the number of batches. */
  async tick(signal?: AbortSignal): Promise<number> {
    let batches = 0;
    for (let isAdvancing = true; isAdvancing && !signal?.aborted; ) {
      isAdvancing = false;
      const turns = await this.#planTurns();
      for (const webhookId of turns) {
        if (signal?.aborted) break;
        const startedAt = performance.now();
        if (!(await this.#advance(webhookId))) continue;
        isAdvancing = true;
        batches += 1;
        const pauseMs = pauseFactor * (performance.now() - startedAt);
        // An aborted pause ends the loop.
        await sleep(pauseMs, undefined, signal && { signal }).catch(() => {});
      }
    }
    return batches;
  }

  /** Returns a webhook of each organization that has a running replay which need not wait. */
  async #planTurns(): Promise<string[]> {
    const { database, clock } = this.#options;
    const now = clock();
    const running = await database.read
      .selectFrom('webhook_replays')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_replays.webhook_id')
      .select(['webhook_replays.organization_id as organizationId', 'webhooks.id as webhookId'])
      .select('webhooks.deleted_at as deletedAt')
      // A literal: the partial index has this condition.
      .where('state', '=', sql.lit('running'))
      .where(({ or, eb }) => or([eb('is_active', '=', 1), eb('deleted_at', 'is not', null)]))
      .orderBy('webhook_replays.organization_id')
      .orderBy('webhook_replays.webhook_id')
      .execute();
    const byOrganization = new Map<string, typeof running>();
    for (const each of running) {
      const own = byOrganization.get(each.organizationId);
      if (own) own.push(each);
      else byOrganization.set(each.organizationId, [each]);
    }
    const turns = new Map<string, string>();
    for (const [organizationId, own] of byOrganization) {
      const last = this.#lastWebhooks.get(organizationId) ?? '';
      const next = own.findIndex(({ webhookId }) => webhookId > last);
      const inTurn = next < 0 ? own : [...own.slice(next), ...own.slice(0, next)];
      for (const { webhookId, deletedAt } of inTurn) {
        if (deletedAt === null && (await countDue(database.read, webhookId, now)) >= maxDue)
          continue;
        turns.set(organizationId, webhookId);
        break;
      }
    }
    this.#lastWebhooks = turns;
    return [...turns.values()];
  }

  /** Processes one batch of a webhook's replay. Returns false if another node does. */
  #advance(webhookId: string): Promise<boolean> {
    const { database, clock } = this.#options;
    return database.writeDirectly(async (transaction) => {
      const query = transaction
        .selectFrom('webhook_replays')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_replays.webhook_id')
        .select(['webhook_replays.id', 'webhook_id', 'since', 'until', 'status', 'event_types'])
        .select(['processed', 'created', 'last_created_at', 'last_id', 'deleted_at'])
        .where('webhook_id', '=', webhookId)
        .where('state', '=', 'running');
      // Another node may run the same replay.
      const locked =
        database.engine === 'postgres' ? query.forUpdate('webhook_replays').skipLocked() : query;
      const job = await locked.executeTakeFirst();
      if (!job) return false;
      const now = clock();
      if (job.deleted_at !== null) await finish(transaction, job.id, 'cancelled', now);
      else await this.#runBatch(transaction, job, now);
      return true;
    }, 'rows');
  }

  async #runBatch(transaction: WriteTransaction, job: Job, now: number): Promise<void> {
    const rows = await readBatch(transaction, job);
    const types = job.event_types === null ? undefined : new Set(JSON.parse(job.event_types));
    const inRange = rows.filter(({ created_at }) => created_at < job.until);
    const matching = inRange.filter(
      ({ status, event_type }) =>
        status !== 'pending' && (types === undefined || types.has(event_type)),
    );
    const events = await selectEvents(transaction, job, matching);
    await this.#options.outbox.deliverAgain(transaction, events, job.webhook_id, now);
    const last = inRange.at(-1);
    await transaction
      .updateTable('webhook_replays')
      .set({
        processed: job.processed + matching.length,
        created: job.created + events.length,
        ...(last && { last_created_at: last.created_at, last_id: last.id }),
      })
      .where('id', '=', job.id)
      .execute();
    if (inRange.length < batchSize) await finish(transaction, job.id, 'completed', now);
  }
}

async function countDue(db: Kysely<Schema>, webhookId: string, now: number): Promise<number> {
  const { due } = await db
    .selectFrom(({ selectFrom }) =>
      selectFrom('deliveries')
        .select('due_at')
        .where('webhook_id', '=', webhookId)
        .where('due_at', 'is not', null)
        .where('due_at', '<=', now)
        .limit(sql.lit(maxDue))
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number>().as('due'))
    .executeTakeFirstOrThrow();
  return Number(due);
}

type Candidate = Awaited<ReturnType<typeof readBatch>>[number];

/** Reads the next deliveries of a replay's index, oldest first. */
function readBatch(transaction: WriteTransaction, job: Job) {
  const { webhook_id, status, last_created_at, last_id } = job;
  const query = transaction
    .selectFrom('deliveries')
    .select(['id', 'created_at', 'status', 'event_id', 'event_type', 'url_id'])
    .where('webhook_id', '=', webhook_id)
    // One bound only: with two, SQLite selects the index of all deliveries.
    .where(sql<SqlBool>`(created_at, deliveries.id) > (${last_created_at}, ${last_id})`)
    .orderBy('created_at')
    .orderBy('deliveries.id')
    .limit(batchSize);
  if (status === 'all') return query.execute();
  // Literals: the partial index of finished deliveries has this condition.
  const hasStatus = sql<SqlBool>`status = ${sql.lit(status)} and status <> 'pending'`;
  return query.where(hasStatus).execute();
}

/** Returns the events of matching deliveries that are to be delivered again, each of them once. */
async function selectEvents(
  transaction: WriteTransaction,
  { webhook_id, since, until, status }: Job,
  matching: readonly Candidate[],
): Promise<Candidate[]> {
  if (matching.length === 0) return [];
  const eventIds = [...new Set(matching.map(({ event_id }) => event_id))];
  const others = await transaction
    .selectFrom('deliveries')
    .select(['id', 'created_at', 'status', 'event_id'])
    .where('event_id', 'in', eventIds)
    // As an expression, the webhook's id cannot select the index of all its deliveries.
    .where(sql<SqlBool>`webhook_id || '' = ${webhook_id}`)
    .execute();
  /** Events that are pending, or that were delivered after a failure. */
  const settled = new Set<string>();
  /** The latest matching delivery of each event. Only it counts. */
  const latest = new Map<string, Pick<Candidate, 'id' | 'created_at'>>();
  for (const other of others) {
    const { event_id, created_at, id } = other;
    const isDelivered = status === 'failed' && other.status === 'delivered';
    if (other.status === 'pending' || isDelivered) settled.add(event_id);
    const isMatching = status === 'all' || other.status === status;
    if (!isMatching || created_at < since || created_at >= until) continue;
    const known = latest.get(event_id);
    const isLater =
      !known || created_at > known.created_at || (created_at === known.created_at && id > known.id);
    if (isLater) latest.set(event_id, { id, created_at });
  }
  return matching.filter(
    ({ id, event_id }) => !settled.has(event_id) && latest.get(event_id)?.id === id,
  );
}

async function finish(
  transaction: WriteTransaction,
  id: string,
  state: 'completed' | 'cancelled',
  now: number,
): Promise<void> {
  await transaction
    .updateTable('webhook_replays')
    .set({ state, finished_at: now })
    .where('id', '=', id)
    .execute();
}
