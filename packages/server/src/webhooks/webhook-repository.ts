import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { tooMany, validationError } from '../contract/api-error.js';
import type { Page, PageRange } from '../contract/fields.js';
import { fieldsOf, presentAs, withIsoTimes } from '../contract/present.js';
import type { EventFilters } from '../events/subscription.js';
import {
  type IdempotentResult,
  Refusal,
  type WriteContext,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { checkIfMatch, nextUpdatedAt, nextUpdatedAtOfRow } from '../preconditions/if-match.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import type { Keyring } from '../storage/keyring.js';
import { readList } from '../storage/list-page.js';
import { type Encrypt, encryptorOf } from '../storage/secrets.js';
import { encryptSecrets, placeOfWebhook, readSecrets, rotate } from './secrets.js';
import {
  type DisabledReason,
  type SubscribedType,
  type WebhookSettings,
  type WebhookUpdateRequest,
  type webhookCreated,
  webhookRecord,
} from './webhook-contract.js';
import { maxWebhooks } from './webhook-limits.js';

// Each visit is copied for each of them.
const maxClickSubscribers = 5;

/** A subscription of one receiver to event types, with the health of the endpoint. */
export type Webhook = ReturnType<typeof webhookOf>;

export type WebhookRecord = z.input<typeof webhookRecord>;

/** The result of a create, as it is stored with an idempotency key. */
export type NewWebhook = Pick<
  z.input<typeof webhookCreated>,
  'id' | 'url' | 'events' | 'secret' | 'isActive'
> & { readonly createdAt: number };

/** Stores webhooks. Every method is one transaction and ignores deleted webhooks. */
export class WebhookRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates a webhook. Throws QUOTA_EXCEEDED when the organization has `maxWebhooks` of them. */
  create(
    organizationId: string,
    webhook: NewWebhook,
    settings: WebhookSettings,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<Webhook & { readonly secret: string }>> {
    const { id, url, events, secret, isActive, createdAt } = webhook;
    const audit = { type: 'webhook', id } as const;
    const options = { organizationId, write, audit, holdsSecret: true };
    return writeOnce(this.#database, options, async (transaction) => {
      const { count } = await transaction
        .selectFrom('webhooks')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organization_id', '=', organizationId)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      if (count >= maxWebhooks) {
        throw new Refusal(tooMany(maxWebhooks, 'webhooks', 'Delete one first'));
      }
      const encrypt = await encryptorOf(this.#database, transaction);
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
      if (events.includes('url.clicked')) await limitClickSubscribers(transaction, organizationId);
      const created = await find(transaction, this.#database.keyring, organizationId, id);
      return { ...(created as Webhook), secret };
    });
  }

  find(organizationId: string, id: string): Promise<Webhook | undefined> {
    const { read, keyring } = this.#database;
    return find(read, keyring, organizationId, id);
  }

  /** Returns the JSON path of the first link or domain in filters that the organization does not have. */
  async findUnknown(
    organizationId: string,
    { domainIds, urlIds }: NonNullable<WebhookSettings['filters']>,
  ): Promise<string | undefined> {
    const { read } = this.#database;
    const columns = ['id', 'organization_id'] as const;
    const domains = await read
      .selectFrom('domains')
      .select(columns)
      .where('id', 'in', domainIds ?? [''])
      .where('deleted_at', 'is', null)
      .execute();
    const urls = await read
      .selectFrom('urls')
      .select(columns)
      .where('id', 'in', urlIds ?? [0])
      .execute();
    // Not in SQL: SQLite would search the index of the organization instead of the ids.
    const own = [...domains, ...urls].filter((row) => row.organization_id === organizationId);
    const known = new Set<string | number>(own.map(({ id }) => id));
    for (const [name, ids] of Object.entries({ domainIds, urlIds })) {
      const at = (ids ?? []).findIndex((id) => !known.has(id));
      if (at >= 0) return `filters.${name}[${at}]`;
    }
    return undefined;
  }

  update(
    id: string,
    { url, events, isActive, ...settings }: WebhookUpdateRequest,
    context: WriteContext,
  ): Promise<IdempotentResult<Webhook | null>> {
    return this.#change(id, context, async (transaction, before) => {
      const { organizationId, now } = context;
      const hasNewUrl = url !== undefined && url !== before.url;
      const columns = settingColumns(await encryptorOf(this.#database, transaction), id, settings);
      if (hasNewUrl && columns.headers === undefined) checkOrigin(before, url);
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
          // A dispatcher may have disabled it since the read.
          ...(isActive && {
            failing_since: sql<number>`case when is_active = 0 then null else failing_since end`,
          }),
          // The stored health belongs to the previous receiver.
          ...(hasNewUrl && { last_success_at: null, failing_since: null, failure_rate: null }),
          ...columns,
          updated_at: nextUpdatedAt(before.updatedAt, now),
        })
        .where('id', '=', id)
        .execute();
      if (events?.includes('url.clicked')) await limitClickSubscribers(transaction, organizationId);
      return (await find(transaction, this.#database.keyring, organizationId, id)) ?? null;
    });
  }

  /** Marks a webhook as deleted. The pruner removes it and its deliveries in batches. */
  delete(id: string, context: WriteContext): Promise<IdempotentResult<Webhook | null>> {
    return this.#change(id, context, async (transaction, webhook) => {
      await transaction
        .updateTable('webhooks')
        .set({ deleted_at: context.now, secret: '', headers: null })
        .where('id', '=', id)
        .execute();
      return webhook;
    });
  }

  /** Changes a webhook in a transaction, unless it does not exist or has another version. */
  #change(
    id: string,
    { organizationId, write, ifMatch }: WriteContext,
    change: (transaction: WriteTransaction, before: Webhook) => Promise<Webhook | null>,
  ): Promise<IdempotentResult<Webhook | null>> {
    const audit = { type: 'webhook', id } as const;
    return writeOnce(this.#database, { organizationId, write, audit }, async (transaction) => {
      const before = await find(transaction, this.#database.keyring, organizationId, id);
      if (!before) return null;
      checkIfMatch(ifMatch, before.updatedAt);
      return change(transaction, before);
    });
  }

  /** Replaces the secret, also a damaged one. The old one signs for `expireOldAfterMs` more. */
  rotateSecret(
    id: string,
    secret: string,
    expireOldAfterMs: number,
    { organizationId, now, write }: WriteContext,
  ): Promise<IdempotentResult<{ secret: string; previousSecretExpiresAt: number } | null>> {
    const audit = { type: 'webhook', id } as const;
    const options = { organizationId, write, audit, holdsSecret: true };
    return writeOnce(this.#database, options, async (transaction) => {
      const row = await selectWebhooks(transaction, organizationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) return null;
      // A damaged secret signs nothing, so it does not remain.
      const before = readSecrets(this.#database.keyring, id, row.secret);
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
    });
  }
}

/** Selects the webhooks of an organization that are not deleted, for `webhookOf`. */
function selectWebhooks(db: Kysely<Schema>, organizationId: string) {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null);
}

function webhookOf(row: Selectable<Schema['webhooks']>, keyring: Keyring) {
  const { headers, filters, secret, ...webhook } = fieldsOf(row);
  const place = placeOfWebhook(row.id);
  return {
    ...webhook,
    /** Also after its end. */
    previousSecret: readSecrets(keyring, row.id, secret)?.previous,
    events: JSON.parse(row.events) as readonly SubscribedType[],
    filters: filters === null ? null : (JSON.parse(filters) as EventFilters),
    headerNames:
      headers !== null && keyring.canDecrypt(headers, place)
        ? Object.keys(JSON.parse(keyring.decrypt(headers, place)))
        : [],
    isActive: row.is_active === 1,
    disabledReason: row.disabled_reason as DisabledReason | null,
  };
}

export function toWebhookRecord(webhook: Webhook, now: number): WebhookRecord {
  const { events, filters, failureRate, previousSecret: previous } = webhook;
  return presentAs(webhookRecord, {
    ...withIsoTimes(webhook),
    events: [...events],
    filters: filters && presentFilters(filters),
    previousSecrets:
      previous && now < previous.expiresAt ? [withIsoTimes({ expiresAt: previous.expiresAt })] : [],
    failureRate: failureRate === null ? null : Math.round(failureRate * 1000) / 1000,
  });
}

/** Returns filters for the API, which has the ids of links as strings. */
function presentFilters({ tags, domainIds, urlIds }: EventFilters) {
  return {
    ...(tags && { tags: [...tags] }),
    ...(domainIds && { domainIds: [...domainIds] }),
    ...(urlIds && { urlIds: urlIds.map(String) }),
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

export function listWebhooks(
  database: Database,
  organizationId: string,
  range: PageRange,
): Promise<Page<Webhook>> {
  const owner = { column: 'organization_id', value: organizationId };
  const indexed = sql<SqlBool>`deleted_at is null`;
  const list = { table: 'webhooks', owner, indexed, ...range } as const;
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

/**
 * Throws VALIDATION_FAILED when too many webhooks of an organization subscribe to `url.clicked`. Callers
 * have just subscribed one, in the same transaction, which holds the organization's lock.
 */
async function limitClickSubscribers(
  transaction: WriteTransaction,
  organizationId: string,
): Promise<void> {
  const own = await transaction
    .selectFrom('webhooks')
    .select('id')
    .where('organization_id', '=', organizationId)
    // The condition of the index.
    .where(sql<boolean>`replace(events, 'url.clicked', '') <> events`)
    .where('deleted_at', 'is', null)
    .execute();
  if (own.length <= maxClickSubscribers) return;
  const message = `can name url.clicked in at most ${maxClickSubscribers} webhooks of an organization`;
  throw validationError([{ path: 'events', message }]);
}
