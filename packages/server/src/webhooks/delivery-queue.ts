import { sql } from 'kysely';
import type { EventOutbox } from '../events/event-outbox.js';
import { countUses, UsageTally } from '../organizations/usage-meters.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import {
  type Claim,
  dueDeliveryFinder,
  isNotAmong,
  preferIndexes,
} from '../storage/due-deliveries.js';
import { prepare } from '../storage/prepared.js';
import type { Schema } from '../storage/schema.js';
import type { AttemptOutcome, ClaimedDelivery } from './attempt.js';
import { countAttempts } from './attempt-counts.js';
import { type HealthRules, type ReleasedLeases, recordHealth } from './endpoint-health.js';
import { isNotLeased, leaseEndpoints, releaseAll, releaseEndpoints } from './endpoint-leases.js';
import { previousSecretColumns, previousSecretsOf } from './live-secrets.js';
import { isOfActiveOrganization, oldestDueAt } from './webhook-expressions.js';

/** The maximum number of pending deliveries that are counted. Counting them takes about 2 ms. */
export const maxCounted = 100_000;

const noLeases: ReleasedLeases = { owner: '', webhookIds: [] };

/** What a dispatcher has in memory. */
export interface DispatcherMemory {
  /** The owner of its leases. */
  readonly owner: string;
  readonly deliveryIds: readonly string[];
  readonly webhookIds: ReadonlySet<string>;
}

/** A claim of deliveries of an endpoint that the dispatcher has leased, or leases with it. */
export interface EndpointClaim extends Claim {
  /** Whether the dispatcher has leased the endpoint for long enough. */
  readonly isLeased: boolean;
  /** Whether to lease it, or to renew the lease. */
  readonly mustLease: boolean;
}

export type Endpoint = Awaited<ReturnType<DeliveryQueue['findEndpoints']>>[number];

/** The pending deliveries in storage. The dispatcher claims deliveries and records outcomes here. */
export class DeliveryQueue {
  readonly #database: Database;
  readonly #outbox: Pick<EventOutbox, 'record'>;
  readonly #healthRules: HealthRules;
  readonly #findDue;
  readonly #findUnlocked;
  readonly #selectEndpoints;
  readonly #selectEndpoint;

  constructor(database: Database, outbox: Pick<EventOutbox, 'record'>, healthRules: HealthRules) {
    this.#database = database;
    this.#outbox = outbox;
    this.#healthRules = healthRules;
    this.#findDue = dueDeliveryFinder(database);
    this.#findUnlocked = dueDeliveryFinder(database, { skipsLocked: true });
    this.#selectEndpoints = prepare(({ except }: { except: string }) =>
      selectEndpoints(database, except),
    );
    this.#selectEndpoint = prepare((wanted: { except: string; id: string }) =>
      selectEndpoints(database, wanted.except).where('id', '=', wanted.id),
    );
  }

  /**
   * Returns the active webhooks that have pending deliveries, with the time when the earliest of them
   * is due, and whether the last recorded attempt was a success. Deliveries in memory, and those of
   * endpoints that other dispatchers have leased, are never due.
   */
  async findEndpoints(memory: DispatcherMemory) {
    const query = this.#selectEndpoints({ except: JSON.stringify(memory.deliveryIds) });
    const { rows } = await this.#database.read.executeQuery(query);
    return endpointsOf(rows, memory);
  }

  /** Returns a webhook as above, or nothing. */
  async findEndpoint(webhookId: string, memory: DispatcherMemory) {
    const query = this.#selectEndpoint({
      except: JSON.stringify(memory.deliveryIds),
      id: webhookId,
    });
    const { rows } = await this.#database.read.executeQuery(query);
    return endpointsOf(rows, memory);
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
   * Leases endpoints, and reads due deliveries of those that are leased. A delivery whose outcome is not
   * recorded before the lease expires is due for other dispatchers.
   */
  claim(
    owner: string,
    claims: readonly EndpointClaim[],
    now: number,
  ): Promise<{ readonly leased: readonly string[]; readonly claimed: ClaimedDelivery[] }> {
    return this.#write(async (transaction) => {
      const wanted = claims.filter(({ mustLease }) => mustLease).map(({ webhookId }) => webhookId);
      const leased = await leaseEndpoints(this.#database, transaction, owner, wanted);
      const readable = claims.filter(
        ({ webhookId, isLeased }) => isLeased || leased.includes(webhookId),
      );
      return { leased, claimed: await this.#findDue(transaction, readable, now) };
    });
  }

  /** Records outcomes in their own transaction. Ends the owner's leases of idle endpoints. */
  async recordOutcomes(
    owner: string,
    outcomes: readonly AttemptOutcome[],
    idle: readonly string[],
  ): Promise<void> {
    await this.#write(async (transaction) => {
      const recorded = await this.record(transaction, outcomes, { owner, webhookIds: idle });
      const changed = new Set(recorded.map(({ delivery }) => delivery.webhookId));
      const others = idle.filter((id) => !changed.has(id));
      if (others.length > 0) await releaseEndpoints(this.#database, transaction, owner, others);
    });
  }

  /** Ends leases of a dispatcher; of all endpoints by default. */
  async release(owner: string, webhookIds?: readonly string[]): Promise<void> {
    await this.#database.writeDirectly(
      (transaction) => releaseEndpoints(this.#database, transaction, owner, webhookIds),
      'rows',
    );
  }

  /** Ends all leases of endpoints. Only for the one process that uses the storage. */
  async releaseAll(): Promise<void> {
    await this.#database.writeDirectly(releaseAll, 'rows');
  }

  /** Leases single deliveries of streams, which moves their due times. */
  leaseEach(claims: readonly Claim[], now: number, leaseMs: number): Promise<ClaimedDelivery[]> {
    return this.#write(async (transaction) => {
      const rows = await this.#findUnlocked(transaction, claims, now);
      const changes = rows.map(({ id }) => ({ set: { due_at: now + leaseMs }, where: { id } }));
      await this.#database.updateEach(transaction, 'deliveries', changes);
      return rows;
    });
  }

  #write<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    return this.#database.writeDirectly(async (transaction) => {
      await preferIndexes(transaction);
      return work(transaction);
    }, 'rows');
  }

  /**
   * Records outcomes in a transaction, and ends leases. Returns the outcomes that no other outcome has
   * preceded.
   */
  async record(
    transaction: WriteTransaction,
    outcomes: readonly AttemptOutcome[],
    released: ReleasedLeases = noLeases,
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
    await recordHealth(this.#database, this.#outbox, transaction, recorded, {
      ...this.#healthRules,
      released,
    });
    // After recordHealth, which locks the webhooks: two nodes do not change the same sums at once.
    await countAttempts(transaction, recorded);
    return recorded;
  }
}

/** `except` is a list of ids of deliveries, which are never due. */
function selectEndpoints(database: Pick<Database, 'engine' | 'read'>, except: string) {
  return (
    database.read
      .selectFrom('webhooks')
      .select(['id as webhookId', 'organization_id as organizationId', 'url', 'headers'])
      .select('secret')
      .select(previousSecretColumns)
      .select(['last_success_at', 'failing_since'])
      .select((webhook) => oldestDueAt(webhook).where(isNotAmong(database, except)).as('dueAt'))
      .select('leased_by')
      .select(isNotLeased(database).as('isNotLeased'))
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

/** Returns the endpoints with due deliveries, or deliveries in memory. Object spread and `flatMap` take 20 times as long. */
function endpointsOf(rows: readonly EndpointRow[], { owner, webhookIds }: DispatcherMemory) {
  const endpoints = [];
  for (const row of rows) {
    const isOwn = row.leased_by === owner || row.isNotLeased;
    const dueAt = isOwn ? row.dueAt : null;
    if (dueAt === null && !webhookIds.has(row.webhookId)) continue;
    endpoints.push({
      webhookId: row.webhookId,
      organizationId: row.organizationId,
      url: row.url,
      headers: row.headers,
      secret: row.secret,
      previousSecrets: row.previous_secret === null ? [] : previousSecretsOf(row),
      hasSucceeded: row.last_success_at !== null && row.failing_since === null,
      dueAt: dueAt ?? Number.POSITIVE_INFINITY,
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
