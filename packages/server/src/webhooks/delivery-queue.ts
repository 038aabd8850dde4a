import { sql } from 'kysely';
import { countUses, UsageTally } from '../organizations/usage-meters.js';
import type { Claim, Database, WriteTransaction } from '../storage/database.js';
import type { DeliveryAttemptTable } from '../storage/schema.js';
import type { AttemptOutcome, ClaimedDelivery, Endpoint } from './attempt.js';
import { type HealthRules, recordHealth, summarizeHealth } from './endpoint-health.js';

/** The most pending deliveries that are counted, which takes about 2 ms. */
export const maxCounted = 100_000;

/** The pending deliveries in storage. The dispatcher claims deliveries and records outcomes here. */
export class DeliveryQueue {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof buildQueries>;
  readonly #healthRules: HealthRules;

  constructor(database: Database, healthRules: HealthRules) {
    this.#database = database;
    this.#healthRules = healthRules;
    this.#queries = buildQueries(database);
  }

  /** Returns active endpoints that have pending deliveries. */
  async findEndpoints(): Promise<Endpoint[]> {
    const { rows } = await this.#database.read.executeQuery(this.#queries.endpoints());
    return rows.flatMap((row): Endpoint[] =>
      row.due_at === null
        ? []
        : [
            {
              webhookId: row.id,
              organizationId: row.organization_id,
              url: row.url,
              secret: row.secret,
              previousSecret: row.previous_secret,
              previousSecretExpiresAt: row.previous_secret_expires_at,
              hasSucceeded: row.last_success_at !== null && row.failing_since === null,
              dueAt: Number(row.due_at),
            },
          ],
    );
  }

  /** Counts pending deliveries, up to `maxCounted`. */
  async countPending(): Promise<number> {
    const { rows } = await this.#database.read.executeQuery(this.#queries.pending());
    return Number(rows[0]?.pending ?? 0);
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
  ): Promise<ClaimedDelivery[]> {
    return this.#database.writeDirectly(async (transaction) => {
      await this.#record(transaction, outcomes);
      return this.#claim(transaction, claims, now, now + leaseMs);
    }, 'deliveries');
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

  async #record(transaction: WriteTransaction, outcomes: readonly AttemptOutcome[]): Promise<void> {
    const attempts: DeliveryAttemptTable[] = [];
    const charged = new UsageTally();
    const changed = await this.#database.updateEach(
      transaction,
      'deliveries',
      outcomes.map(changeOf),
    );
    for (const [at, outcome] of outcomes.entries()) {
      const { delivery } = outcome;
      // No change: the lease had expired, and another dispatcher has recorded an outcome.
      if (!changed[at]) continue;
      const deliveredAt = deliveredAtOf(outcome);
      if (deliveredAt !== null && delivery.isCharged) {
        charged.add(delivery.organizationId, deliveredAt);
      }
      attempts.push({
        delivery_id: delivery.id,
        number: delivery.attempts + 1,
        attempted_at: outcome.attemptedAt,
        duration_ms: outcome.durationMs,
        status_code: outcome.statusCode,
        error: outcome.error,
        response_body: outcome.responseBody,
      });
    }
    await this.#database.bulkInsert(transaction, 'delivery_attempts', attempts);
    await countUses(transaction, 'webhook_delivery', charged);
    const recorded = outcomes.filter((_, at) => changed[at]);
    const health = summarizeHealth(recorded);
    await recordHealth(this.#database, transaction, health, this.#healthRules);
  }

  async #claim(
    transaction: WriteTransaction,
    claims: readonly Claim[],
    now: number,
    leasedUntil: number,
  ): Promise<ClaimedDelivery[]> {
    if (claims.length === 0) return [];
    const rows = await this.#database.findDueDeliveries(transaction, claims, now);
    await this.#database.updateEach(
      transaction,
      'deliveries',
      rows.map(({ id }) => ({ set: { due_at: leasedUntil }, where: { id } })),
    );
    return rows.map((row) => ({
      id: row.id,
      webhookId: row.webhook_id,
      organizationId: row.organization_id,
      isCharged: row.is_charged === 1,
      eventType: row.type,
      body: row.body,
      attempts: row.attempts,
      leasedUntil,
    }));
  }
}

function deliveredAtOf({ error, attemptedAt, durationMs }: AttemptOutcome): number | null {
  return error === null ? attemptedAt + durationMs : null;
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

function buildQueries({ read }: Database) {
  const endpoints = read
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'url', 'secret'])
    .select(['previous_secret', 'previous_secret_expires_at'])
    .select(['last_success_at', 'failing_since'])
    .select(({ selectFrom }) =>
      selectFrom('deliveries')
        .select('due_at')
        .whereRef('deliveries.webhook_id', '=', 'webhooks.id')
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .as('due_at'),
    )
    .where('is_active', '=', 1)
    .where('deleted_at', 'is', null)
    .compile();
  const pending = read
    .selectFrom(({ selectFrom }) =>
      selectFrom('deliveries')
        .select('due_at')
        .where('due_at', 'is not', null)
        .limit(sql.lit(maxCounted))
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .compile();
  return {
    endpoints: () => endpoints,
    pending: () => pending,
  };
}
