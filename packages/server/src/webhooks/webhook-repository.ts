import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import { validationError } from '../contract/api-error.js';
import type { Page, PageRange } from '../contract/fields.js';
import type { EventFilters } from '../events/subscription.js';
import {
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import {
  checkIfMatch,
  type IfMatch,
  nextUpdatedAt,
  nextUpdatedAtOfRow,
} from '../preconditions/if-match.js';
import type { Database, Schema } from '../storage/database.js';
import type { Keyring } from '../storage/keyring.js';
import { readList } from '../storage/list-page.js';
import type { ListQuery } from '../storage/list-query.js';
import { type Encrypt, encryptorOf } from '../storage/secrets.js';
import { limitClickSubscribers } from './click-subscribers.js';
import { encryptSecrets, placeOfWebhook, readSecrets, rotate } from './secrets.js';
import type {
  DisabledReason,
  SubscribedType,
  WebhookSettings,
  WebhookUpdateRequest,
  webhookCreated,
} from './webhook-contract.js';
import { oldestDueAt } from './webhook-expressions.js';
import { maxWebhooks } from './webhook-limits.js';

/** A subscription of one receiver to event types, with the health of the endpoint. */
export type Webhook = ReturnType<typeof webhookOf>;

/** The result of a create, as it is stored with an idempotency key. */
export type NewWebhook = Omit<z.input<typeof webhookCreated>, 'standardWebhooksSecret'> & {
  readonly createdAt: number;
};

export interface WebhookWrite {
  readonly now: number;
  readonly write: WriteRequest | undefined;
  readonly ifMatch?: IfMatch | undefined;
}

/** A new secret, and how long the one that it replaces still signs. */
export interface Rotation {
  readonly secret: string;
  readonly expireOldAfterMs: number;
}

/** Stores webhooks. Every method is one transaction and ignores deleted webhooks. */
export class WebhookRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates a webhook. Returns null when the organization has `maxWebhooks` of them. */
  create(
    organizationId: string,
    webhook: NewWebhook,
    settings: WebhookSettings,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<NewWebhook | null>> {
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const encrypt = await encryptorOf(this.#database, transaction);
        const { count } = await transaction
          .selectFrom('webhooks')
          .select(({ fn }) => fn.countAll().as('count'))
          .where('organization_id', '=', organizationId)
          .where('deleted_at', 'is', null)
          .executeTakeFirstOrThrow();
        if (Number(count) >= maxWebhooks) return null;
        const { id, url, events, secret, isActive, createdAt } = webhook;
        await transaction
          .insertInto('webhooks')
          .values({
            id,
            organization_id: organizationId,
            url,
            events: JSON.stringify(events),
            secret: encryptSecrets(encrypt, id, { current: secret }),
            is_active: isActive ? 1 : 0,
            ...settingColumns(encrypt, id, settings),
            created_at: createdAt,
            updated_at: createdAt,
          })
          .execute();
        if (events.includes('url.clicked'))
          await limitClickSubscribers(transaction, organizationId);
        return webhook;
      },
      { audit: (created) => created && { type: 'webhook', id: webhook.id }, holdsSecret: true },
    );
  }

  async find(organizationId: string, id: string): Promise<Webhook | undefined> {
    const { read, keyring } = this.#database;
    return find(read, keyring, organizationId, id);
  }

  /** Returns the JSON path of the first link or domain in filters that the organization does not have. */
  async findUnknown(
    organizationId: string,
    { domainIds, urlIds }: NonNullable<WebhookSettings['filters']>,
  ): Promise<string | undefined> {
    const { read } = this.#database;
    const domains = domainIds
      ? await read
          .selectFrom('domains')
          .select(['id', 'organization_id'])
          .where('id', 'in', domainIds)
          .where('deleted_at', 'is', null)
          .execute()
      : [];
    const urls = urlIds
      ? await read
          .selectFrom('urls')
          .select(['id', 'organization_id'])
          .where('id', 'in', urlIds)
          .execute()
      : [];
    // Not in SQL: SQLite would search the index of the organization instead of the ids.
    const own = [...domains, ...urls].filter((row) => row.organization_id === organizationId);
    const known = new Set<string | number>(own.map(({ id }) => id));
    for (const [name, ids = []] of Object.entries({ domainIds, urlIds })) {
      const at = (ids ?? []).findIndex((id) => !known.has(id));
      if (at >= 0) return `filters.${name}[${at}]`;
    }
    return undefined;
  }

  update(
    organizationId: string,
    id: string,
    { url, events, isActive, ...settings }: WebhookUpdateRequest,
    { now, write, ifMatch }: WebhookWrite,
  ): Promise<IdempotentResult<Webhook | null>> {
    const { keyring } = this.#database;
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const before = await find(transaction, keyring, organizationId, id);
        if (!before) return null;
        checkIfMatch(ifMatch, before.updatedAt);
        const hasNewUrl = url !== undefined && url !== before.url;
        const encrypt = await encryptorOf(this.#database, transaction);
        const columns = settingColumns(encrypt, id, settings);
        if (hasNewUrl && columns.headers === undefined) checkOrigin(before, url);
        const updatedAt = nextUpdatedAt(before.updatedAt, now);
        await transaction
          .updateTable('webhooks')
          .set({
            ...(url !== undefined && { url }),
            ...(events !== undefined && { events: JSON.stringify(events) }),
            // An explicit change of `isActive` clears the server's reason.
            ...(isActive !== undefined && {
              is_active: isActive ? 1 : 0,
              disabled_at: null,
              disabled_reason: null,
            }),
            ...(isActive === true && {
              failing_since: sql<
                number | null
              >`case when is_active = 0 then null else failing_since end`,
            }),
            // The stored health belongs to the previous receiver.
            ...(hasNewUrl && { last_success_at: null, failing_since: null, failure_rate: null }),
            ...columns,
            updated_at: updatedAt,
          })
          .where('id', '=', id)
          .execute();
        if (events?.includes('url.clicked'))
          await limitClickSubscribers(transaction, organizationId);
        return (await find(transaction, keyring, organizationId, id)) ?? null;
      },
      { audit: (webhook) => webhook && { type: 'webhook', id } },
    );
  }

  /** Marks a webhook as deleted. The pruner removes it and its deliveries in batches. */
  delete(
    organizationId: string,
    id: string,
    { now, write, ifMatch }: WebhookWrite,
  ): Promise<IdempotentResult<Webhook | null>> {
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const webhook = await find(transaction, this.#database.keyring, organizationId, id);
        if (!webhook) return null;
        checkIfMatch(ifMatch, webhook.updatedAt);
        await transaction
          .updateTable('webhooks')
          .set({ deleted_at: now, secret: '', headers: null })
          .where('id', '=', id)
          .execute();
        return webhook;
      },
      { audit: (webhook) => webhook && { type: 'webhook', id } },
    );
  }

  /** Replaces the secret, also a damaged one. */
  rotateSecret(
    organizationId: string,
    id: string,
    { secret, expireOldAfterMs }: Rotation,
    { now, write }: Pick<WebhookWrite, 'now' | 'write'>,
  ): Promise<IdempotentResult<{ secret: string; previousSecretExpiresAt: number } | null>> {
    const { keyring } = this.#database;
    return writeOnce(
      this.#database,
      organizationId,
      write,
      async (transaction) => {
        const row = await transaction
          .selectFrom('webhooks')
          .select('secret')
          .where('organization_id', '=', organizationId)
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (!row) return null;
        // A damaged secret signs nothing, so it does not remain.
        const before = readSecrets(keyring, id, row.secret);
        const after = before ? rotate(before, secret, now, expireOldAfterMs) : { current: secret };
        const encrypt = await encryptorOf(this.#database, transaction);
        await transaction
          .updateTable('webhooks')
          .set({
            secret: encryptSecrets(encrypt, id, after),
            updated_at: nextUpdatedAtOfRow(now),
          })
          .where('id', '=', id)
          .execute();
        return { secret, previousSecretExpiresAt: after.previous?.expiresAt ?? now };
      },
      { audit: (rotated) => rotated && { type: 'webhook', id }, holdsSecret: true },
    );
  }
}

/** Selects the webhooks of an organization that are not deleted, for `webhookOf`. */
function selectWebhooks(db: Kysely<Schema>, organizationId: string) {
  return db
    .selectFrom('webhooks')
    .select(['id', 'url', 'events', 'description', 'filters', 'headers', 'secret'])
    .select(['is_active as isActive', 'created_at as createdAt', 'updated_at as updatedAt'])
    .select(['failure_rate as failureRate', 'last_success_at as lastSuccessAt'])
    .select(['failing_since as failingSince', 'disabled_at as disabledAt'])
    .select('disabled_reason as disabledReason')
    .select((webhook) => oldestDueAt(webhook).as('oldestDueAt'))
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null);
}

type WebhookRow = Awaited<ReturnType<ReturnType<typeof selectWebhooks>['execute']>>[number];

function webhookOf({ headers, filters, secret, ...row }: WebhookRow, keyring: Keyring) {
  const place = placeOfWebhook(row.id);
  return {
    ...row,
    /** Also after its end. */
    previousSecret: readSecrets(keyring, row.id, secret)?.previous,
    events: JSON.parse(row.events) as readonly SubscribedType[],
    filters: filters === null ? null : (JSON.parse(filters) as EventFilters),
    headerNames:
      headers !== null && keyring.canDecrypt(headers, place)
        ? Object.keys(JSON.parse(keyring.decrypt(headers, place)))
        : [],
    isActive: row.isActive === 1,
    disabledReason: row.disabledReason as DisabledReason | null,
  };
}

/**
 * Returns the columns of the given settings, with encrypted headers. A missing field has none; null clears
 * it.
 */
function settingColumns(
  encrypt: Encrypt,
  id: string,
  { description, filters, headers }: WebhookSettings,
) {
  const text = headers === undefined ? undefined : textOf(headers);
  return {
    ...(description !== undefined && { description }),
    ...(filters !== undefined && { filters: textOf(filters) }),
    ...(text !== undefined && { headers: text && encrypt(text, placeOfWebhook(id)) }),
  };
}

/** Returns an object as JSON without its null fields, or null if it has no others. */
function textOf(fields: object | null): string | null {
  const given = Object.entries(fields ?? {}).filter(([, value]) => value != null);
  return given.length === 0 ? null : JSON.stringify(Object.fromEntries(given));
}

/** Throws if the stored headers would be sent to another origin. They are secrets of the first one. */
function checkOrigin({ url, headerNames }: Webhook, newUrl: string): void {
  if (headerNames.length === 0 || new URL(newUrl).origin === new URL(url).origin) return;
  const message = 'must be sent again, or be null, because url has another origin';
  throw validationError([{ path: 'headers', message }]);
}

/** Returns one page of webhooks, newest first. */
export function listWebhooks(
  database: Database,
  organizationId: string,
  range: PageRange,
): Promise<Page<Webhook>> {
  const list: ListQuery = {
    table: 'webhooks',
    owner: { column: 'organization_id', value: organizationId },
    indexed: sql`deleted_at is null`,
    ...range,
  };
  return readList<string, Webhook>(database, list, async (ids) => {
    const webhooks = selectWebhooks(database.read, organizationId);
    const rows = await webhooks.where('id', 'in', ids).execute();
    return rows.map((row) => webhookOf(row, database.keyring));
  });
}

async function find(
  db: Kysely<Schema>,
  keyring: Keyring,
  organizationId: string,
  id: string,
): Promise<Webhook | undefined> {
  const row = await selectWebhooks(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row && webhookOf(row, keyring);
}
