import type { Kysely } from 'kysely';
import { type IdempotentRequest, type Once, runOnce } from '../idempotency/run-once.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { type Webhook, webhookColumns, webhookOf } from './webhook.js';
import { rotationMs, type WebhookUpdateRequest } from './webhook-contract.js';

export interface NewWebhook extends Omit<Webhook, 'updatedAt'> {
  readonly secret: string;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Webhooks. Every method is one transaction; none sees what has been deleted. */
export class WebhookRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The webhook as it was made, the first time too; undefined when there are `max` already. */
  create(
    organizationId: string,
    webhook: NewWebhook,
    max: number,
    idempotency: IdempotentRequest | undefined,
  ): Promise<Once<NewWebhook | null>> {
    return this.#database.write((transaction) =>
      runOnce(transaction, idempotency, async () => {
        if ((await count(transaction, organizationId)) >= max) return null;
        const { id, url, events, secret, isActive, createdAt } = webhook;
        await transaction
          .insertInto('webhooks')
          .values({
            id,
            organization_id: organizationId,
            url,
            events: JSON.stringify(events),
            secret,
            is_active: isActive ? 1 : 0,
            created_at: createdAt,
            updated_at: createdAt,
          })
          .execute();
        return webhook;
      }),
    );
  }

  async find(organizationId: string, id: string): Promise<Webhook | undefined> {
    return find(this.#database.read, organizationId, id);
  }

  /** One page, newest first, and how many there are in all. */
  async list(
    organizationId: string,
    { limit, offset }: Page,
  ): Promise<{ total: number; webhooks: Webhook[] }> {
    const { read } = this.#database;
    const [total, rows] = await Promise.all([
      count(read, organizationId),
      read
        .selectFrom('webhooks')
        .select(webhookColumns)
        .where('organization_id', '=', organizationId)
        .where('deleted_at', 'is', null)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute(),
    ]);
    return { total, webhooks: rows.map(webhookOf) };
  }

  update(
    organizationId: string,
    id: string,
    { url, events, isActive }: WebhookUpdateRequest,
    now: number,
  ): Promise<Webhook | undefined> {
    return this.#database.write(async (transaction) => {
      const row = await transaction
        .updateTable('webhooks')
        .set({
          ...(url !== undefined && { url }),
          ...(events !== undefined && { events: JSON.stringify(events) }),
          ...(isActive !== undefined && { is_active: isActive ? 1 : 0 }),
          updated_at: now,
        })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returning(webhookColumns)
        .executeTakeFirst();
      return row && webhookOf(row);
    });
  }

  /** Ends a webhook; its deliveries are removed later, little by little. */
  delete(organizationId: string, id: string, now: number): Promise<Webhook | undefined> {
    return this.#database.write(async (transaction) => {
      const webhook = await find(transaction, organizationId, id);
      if (!webhook) return undefined;
      await transaction
        .updateTable('webhooks')
        .set({ deleted_at: now, secret: '', previous_secret: null })
        .where('id', '=', id)
        .execute();
      return webhook;
    });
  }

  /** Replaces the secret; for a while the one before signs as well. */
  rotateSecret(
    organizationId: string,
    id: string,
    secret: string,
    now: number,
    idempotency: IdempotentRequest | undefined,
  ): Promise<Once<{ secret: string; previousSecretExpiresAt: number } | null>> {
    return this.#database.write((transaction) =>
      runOnce(transaction, idempotency, async () => {
        const previousSecretExpiresAt = now + rotationMs;
        const { numUpdatedRows } = await transaction
          .updateTable('webhooks')
          .set(({ ref }) => ({
            secret,
            previous_secret: ref('secret'),
            previous_secret_expires_at: previousSecretExpiresAt,
            updated_at: now,
          }))
          .where('organization_id', '=', organizationId)
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .executeTakeFirstOrThrow();
        return numUpdatedRows === 1n ? { secret, previousSecretExpiresAt } : null;
      }),
    );
  }
}

async function find(
  db: Kysely<Schema> | WriteTransaction,
  organizationId: string,
  id: string,
): Promise<Webhook | undefined> {
  const row = await db
    .selectFrom('webhooks')
    .select(webhookColumns)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && webhookOf(row);
}

async function count(db: Kysely<Schema>, organizationId: string): Promise<number> {
  const { total } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(total);
}
