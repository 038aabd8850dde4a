import { type Kysely, sql } from 'kysely';
import type { EventOutbox } from '../events/event-outbox.js';
import { countUses, UsageTally } from '../organizations/usage-meters.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { type Claim, dueDeliveryFinder } from '../storage/due-deliveries.js';
import { prepare } from '../storage/prepared.js';
import type { Schema } from '../storage/schema.js';
import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';
import { countAttempts } from './attempt-counts.js';
import { type HealthRules, recordHealth } from './endpoint-health.js';
import { previousSecretColumns, previousSecretsOf } from './live-secrets.js';
import { isOfActiveOrganization, oldestDueAt } from './webhook-expressions.js';

/** The maximum number of pending deliveries that are counted. Counting them takes about 2 ms. */
export const maxCounted = 100_000;

export type Endpoint = Awaited<ReturnType<DeliveryQueue['findEndpoints']>>[number];

/** The pending deliveries in storage. The dispatcher claims deliveries and records outcomes here. */
export class DeliveryQueue {
  readonly #database: Database;
  readonly #outbox: Pick<EventOutbox, 'record'>;
  readonly #healthRules: HealthRules;
  readonly #findDue;
  readonly #selectEndpoints;
  readonly #selectEndpoint;

  constructor(database: Database, outbox: Pick<EventOutbox, 'record'>, healthRules: HealthRules) {
    this.#database = database;
    this.#outbox = outbox;
    this.#healthRules = healthRules;
    this.#findDue = dueDeliveryFinder(database);
    const endpoints = selectEndpoints(database.read);
    this.#selectEndpoints = prepare(endpoints);
    this.#selectEndpoint = prepare(endpoints.where('id', '=', ''));
  }

  /**
   * Returns the active webhooks that have pending deliveries, with the time when the earliest of them
   * is due, and whether the last recorded attempt was a success.
   */
  async findEndpoints() {
    const { rows } = await this.#database.read.executeQuery(this.#selectEndpoints());
    return endpointsOf(rows);
  }

  /** Returns a webhook as above, or nothing. */
  async findEndpoint(webhookId: string) {
    const { rows } = await this.#database.read.executeQuery(this.#selectEndpoint(webhookId));
    return endpointsOf(rows);
  }

  /** Counts pending deliveries, up to `maxCounted`. */
  async countPending(): Promise<number> {
    const { pending } = await this.#database.read
      .selectFrom(({ selectFrom }) =>
        selectFrom('deliveries')
          .select('due_at')
          .where('due_at', 'is not', null)
          .limit(sql.lit(maxCounted))
          .as('counted'),
      )
      .select(({ fn }) => fn.countAll<number>().as('pending'))
      .executeTakeFirstOrThrow();
    return Number(pending);
  }

  /**
   * Records outcomes and claims due deliveries, in one transaction. A claimed delivery whose outcome
   * is not recorded before its lease expires is due again.
   */
  advance(
    outcomes: readonly AttemptOutcome[],
    claims: readonly Claim[],
    now: number,
    leaseMs: number,
    lock: 'deliveries' | 'slow deliveries' = 'deliveries',
  ): Promise<ClaimedDelivery[]> {
    return this.#database.writeDirectly(async (transaction) => {
      await this.record(transaction, outcomes);
      return this.#claim(transaction, claims, now, now + leaseMs);
    }, lock);
  }

  /** Ends the leases of deliveries that were not attempted, which makes them due now. */
  async release(deliveries: readonly ClaimedDelivery[], now: number): Promise<void> {
    if (deliveries.length === 0) return;
    const rows = deliveries.map(({ id, leasedUntil }) => ({
      set: { due_at: now },
      where: { id, due_at: leasedUntil },
    }));
    await this.#database.writeDirectly(
      (transaction) => this.#database.updateEach(transaction, 'deliveries', rows),
      'deliveries',
    );
  }

  /**
   * Ends all leases of this duration, but not those of streams, which clients read. Only for the one
   * process that uses the storage.
   */
  async endLeases(now: number, leaseMs: number): Promise<void> {
    await this.#database.writeDirectly(
      (transaction) =>
        transaction
          .updateTable('deliveries')
          .set({ due_at: sql<number>`next_attempt_at` })
          .where('due_at', 'is not', null)
          .where('due_at', '>', now)
          .where('due_at', '<=', now + leaseMs)
          .where('webhook_id', 'in', (query) =>
            query.selectFrom('webhooks').select('id').where('expires_at', 'is', null),
          )
          .execute(),
      'deliveries',
    );
  }

  /** Records outcomes in a transaction. Returns those that no other outcome has preceded. */
  async record(
    transaction: WriteTransaction,
    outcomes: readonly AttemptOutcome[],
  ): Promise<readonly AttemptOutcome[]> {
    const changed = await this.#database.updateEach(
      transaction,
      'deliveries',
      outcomes.map(changeOf),
    );
    // No change: the lease had expired, and another dispatcher has recorded an outcome.
    const recorded = outcomes.filter((_, at) => changed[at]);
    const charged = new UsageTally();
    for (const outcome of recorded) {
      const { isCharged, organizationId } = outcome.delivery;
      const deliveredAt = deliveredAtOf(outcome);
      if (deliveredAt !== null && isCharged === 1) charged.add(organizationId, deliveredAt);
    }
    await this.#database.bulkInsert(transaction, 'delivery_attempts', recorded.map(attemptOf));
    await countUses(transaction, 'webhook_delivery', charged);
    await recordHealth(this.#database, this.#outbox, transaction, recorded, this.#healthRules);
    // After recordHealth, which locks the webhooks: two nodes do not change the same sums at once.
    await countAttempts(transaction, recorded);
    return recorded;
  }

  async #claim(
    transaction: WriteTransaction,
    claims: readonly Claim[],
    now: number,
    leasedUntil: number,
  ): Promise<ClaimedDelivery[]> {
    if (claims.length === 0) return [];
    const rows = await this.#findDue(transaction, claims, now);
    await this.#database.updateEach(
      transaction,
      'deliveries',
      rows.map(({ id }) => ({ set: { due_at: leasedUntil }, where: { id } })),
    );
    return rows.map((row) => ({ ...row, leasedUntil }));
  }
}

function selectEndpoints(db: Kysely<Schema>) {
  return (
    db
      .selectFrom('webhooks')
      .select(['id as webhookId', 'organization_id as organizationId', 'url', 'headers'])
      .select('secret')
      .select(previousSecretColumns)
      .select(['last_success_at', 'failing_since'])
      .select((webhook) => oldestDueAt(webhook).as('dueAt'))
      .where('is_active', '=', sql.lit(1))
      .where('deleted_at', 'is', null)
      // Clients read the deliveries of streams.
      .where('expires_at', 'is', null)
      // Its unwanted deliveries end first.
      .where('unsubscribed_at', 'is', null)
      .where(isOfActiveOrganization)
  );
}

type EndpointRow = Awaited<ReturnType<ReturnType<typeof selectEndpoints>['execute']>>[number];

/** Returns the endpoints with pending deliveries. Object spread and `flatMap` take 20 times as long. */
function endpointsOf(rows: readonly EndpointRow[]) {
  const endpoints = [];
  for (const row of rows) {
    if (row.dueAt === null) continue;
    endpoints.push({
      webhookId: row.webhookId,
      organizationId: row.organizationId,
      url: row.url,
      headers: row.headers,
      secret: row.secret,
      previousSecrets: row.previous_secret === null ? [] : previousSecretsOf(row),
      hasSucceeded: row.last_success_at !== null && row.failing_since === null,
      dueAt: row.dueAt,
    });
  }
  return endpoints;
}

function deliveredAtOf({ error, attemptedAt, durationMs }: AttemptOutcome): number | null {
  return error === null ? attemptedAt + durationMs : null;
}

function attemptOf({ delivery, ...outcome }: AttemptOutcome): Schema['delivery_attempts'] {
  return {
    delivery_id: delivery.id,
    number: delivery.attempts + 1,
    attempted_at: outcome.attemptedAt,
    duration_ms: outcome.durationMs,
    status_code: outcome.statusCode,
    error: outcome.error,
    response_body: outcome.responseBody,
  };
}

/** Returns the update that records an outcome. It matches no row once another outcome is recorded. */
function changeOf(outcome: AttemptOutcome) {
  const { delivery, nextAttemptAt, statusCode, error } = outcome;
  const status = error === null ? 'delivered' : nextAttemptAt === null ? 'failed' : 'pending';
  return {
    set: {
      status,
      attempts: delivery.attempts + 1,
      next_attempt_at: nextAttemptAt,
      due_at: nextAttemptAt,
      last_status_code: statusCode,
      last_error: error,
      delivered_at: deliveredAtOf(outcome),
    },
    where: { id: delivery.id, attempts: delivery.attempts, status: 'pending' },
  };
}
