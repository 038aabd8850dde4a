import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { v7 as newUuid } from 'uuid';
import type { z } from 'zod';
import { newSecret } from '../auth/secrets.js';
import { validationError } from '../contract/api-error.js';
import { fieldsOf, presentAs, withIsoTimes } from '../contract/present.js';
import type { EventFilters } from '../events/subscription.js';
import { refuseTooMany } from '../idempotency/refuse-too-many.js';
import { type WriteContext, writeOnce } from '../idempotency/with-idempotency-key.js';
import { checkIfMatch, nextUpdatedAtOfRow } from '../preconditions/if-match.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import type { Keyring } from '../storage/keyring.js';
import { listOf } from '../storage/list-page.js';
import { type Encrypt, encryptorOf } from '../storage/secrets.js';
import { findWhere, updateWhere } from '../storage/statements.js';
import { encryptSecrets, placeOfWebhook, readSecrets, rotate } from './secrets.js';
import {
  type DisabledReason,
  maxWebhooks,
  type SubscribedType,
  type WebhookCreateRequest,
  type WebhookSettings,
  type WebhookUpdateRequest,
  webhookRecord,
} from './webhook-contract.js';

// Each visit is copied for each of them.
const maxClickSubscribers = 5;

type WebhookRow = Selectable<Schema['webhooks']>;

/** A subscription of one receiver to event types, with the health of the endpoint. */
export type Webhook = ReturnType<typeof webhookOf>;

export type WebhookRecord = z.input<typeof webhookRecord>;

export type WebhookRepository = ReturnType<typeof createWebhookRepository>;

/** Stores webhooks. Every method is one transaction and ignores deleted webhooks. */
export function createWebhookRepository(database: Database) {
  const { read, keyring } = database;

  /** Changes a webhook in a transaction, unless it does not exist or has another version. */
  function change<Result>(
    id: string,
    { organizationId, write, ifMatch }: WriteContext,
    work: (transaction: WriteTransaction, before: WebhookRow) => Promise<Result>,
    holdsSecret = false,
  ) {
    const options = { organizationId, write, audit: { type: 'webhook', id }, holdsSecret } as const;
    return writeOnce<Result | null>(database, options, async (transaction) => {
      const before = await selectWebhooks(transaction, organizationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (!before) return null;
      checkIfMatch(ifMatch, before.updated_at);
      return work(transaction, before);
    });
  }

  return {
    /** Creates a webhook. Throws QUOTA_EXCEEDED when the organization has `maxWebhooks` of them. */
    create(
      { url, events, isActive = true, ...settings }: WebhookCreateRequest,
      { organizationId, now, write }: WriteContext,
    ) {
      const id = newUuid();
      const secret = newSecret('webhookSecret');
      const audit = { type: 'webhook', id } as const;
      const options = { organizationId, write, audit, holdsSecret: true };
      return writeOnce(database, options, async (transaction) => {
        const live = sql`webhooks where organization_id = ${organizationId} and deleted_at is null`;
        await refuseTooMany(transaction, live, maxWebhooks, 'webhooks', 'Delete one first');
        const encrypt = await encryptorOf(database, transaction);
        const row = await transaction
          .insertInto('webhooks')
          .values({
            id,
            organization_id: organizationId,
            url,
            events: JSON.stringify(events),
            secret: encryptSecrets(encrypt, id, { current: secret }),
            is_active: isActive ? 1 : 0,
            ...settingColumns(encrypt, id, settings),
            created_at: now,
            updated_at: now,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        await limitClickSubscribers(transaction, organizationId, events);
        return { ...webhookOf(row, keyring), secret };
      });
    },

    async find(organizationId: string, id: string): Promise<Webhook | undefined> {
      const row = await selectWebhooks(read, organizationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && webhookOf(row, keyring);
    },

    /** Returns the JSON path of the first link or domain in filters that the organization does not have. */
    async findUnknown(
      organizationId: string,
      { domainIds, urlIds }: NonNullable<WebhookSettings['filters']>,
    ): Promise<string | undefined> {
      const domains = (domainIds ?? []).map((id) => findWhere(read, 'domains', { id }));
      const urls = (urlIds ?? []).map((id) => findWhere(read, 'urls', { id }));
      const isOwn = {
        domainIds: (await Promise.all(domains)).map(
          (row) => row?.organization_id === organizationId && row.deleted_at === null,
        ),
        urlIds: (await Promise.all(urls)).map((row) => row?.organization_id === organizationId),
      };
      for (const [name, own] of Object.entries(isOwn)) {
        const at = own.indexOf(false);
        if (at >= 0) return `filters.${name}[${at}]`;
      }
      return undefined;
    },

    update(
      id: string,
      { url, events, isActive, ...settings }: WebhookUpdateRequest,
      context: WriteContext,
    ) {
      return change(id, context, async (transaction, before) => {
        const hasNewUrl = url !== undefined && url !== before.url;
        const columns = settingColumns(await encryptorOf(database, transaction), id, settings);
        if (hasNewUrl && columns.headers === undefined) checkOrigin(before, url);
        const row = await transaction
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
            updated_at: nextUpdatedAtOfRow(context.now),
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        await limitClickSubscribers(transaction, context.organizationId, events);
        return webhookOf(row, keyring);
      });
    },

    /** Marks a webhook as deleted. The pruner removes it and its deliveries in batches. */
    delete(id: string, context: WriteContext) {
      return change(id, context, async (transaction, before) => {
        const deletion = { deleted_at: context.now, secret: '', headers: null };
        await updateWhere(transaction, 'webhooks', { id }, deletion);
        return webhookOf(before, keyring);
      });
    },

    /** Replaces the secret, also a damaged one. The old one signs for `expireOldAfterMs` more. */
    rotateSecret(id: string, expireOldAfterMs: number, context: WriteContext) {
      const { now } = context;
      const work = async (transaction: WriteTransaction, row: WebhookRow) => {
        const secret = newSecret('webhookSecret');
        // A damaged secret signs nothing, so it does not remain.
        const before = readSecrets(keyring, id, row.secret);
        const after = before ? rotate(before, secret, now, expireOldAfterMs) : { current: secret };
        const encrypt = await encryptorOf(database, transaction);
        await transaction
          .updateTable('webhooks')
          .set({ secret: encryptSecrets(encrypt, id, after), updated_at: nextUpdatedAtOfRow(now) })
          .where('id', '=', id)
          .execute();
        return { secret, previousSecretExpiresAt: after.previous?.expiresAt ?? now };
      };
      return change(id, context, work, true);
    },
  };
}

/** Selects the webhooks of an organization that are not deleted, for `webhookOf`. */
function selectWebhooks(db: Kysely<Schema>, organizationId: string) {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null);
}

function webhookOf(row: WebhookRow, keyring: Keyring) {
  const { headers, filters, secret, ...webhook } = fieldsOf(row);
  const place = placeOfWebhook(row.id);
  return {
    ...webhook,
    /** Also after its end. */
    previousSecret: readSecrets(keyring, row.id, secret)?.previous,
    events: JSON.parse(row.events) as SubscribedType[],
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
  const { filters, failureRate, previousSecret: previous } = webhook;
  return presentAs(webhookRecord, {
    ...withIsoTimes(webhook),
    filters: filters && presentFilters(filters),
    previousSecrets:
      previous && now < previous.expiresAt ? [withIsoTimes({ expiresAt: previous.expiresAt })] : [],
    failureRate: failureRate === null ? null : Math.round(failureRate * 1000) / 1000,
  });
}

/** Returns filters for the API, which has the ids of links as strings. */
function presentFilters({ urlIds, ...filters }: EventFilters) {
  return { ...filters, ...(urlIds && { urlIds: urlIds.map(String) }) };
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

/**
 * Throws if the stored headers would be sent to another origin, now or once the key that decrypts them is
 * back. They are secrets of the first one.
 */
function checkOrigin({ url, headers }: WebhookRow, newUrl: string): void {
  if (headers === null || new URL(newUrl).origin === new URL(url).origin) return;
  const message = 'must be sent again, or be null, because url has another origin';
  throw validationError([{ path: 'headers', message }]);
}

export const listWebhooks = listOf(
  'webhooks',
  selectWebhooks,
  (row, { keyring }) => webhookOf(row, keyring),
  sql<SqlBool>`deleted_at is null`,
);

/**
 * Throws VALIDATION_FAILED when too many webhooks of an organization subscribe to `url.clicked`. Callers
 * have just subscribed one to `events`, in the same transaction, which holds the organization's lock.
 */
async function limitClickSubscribers(
  transaction: WriteTransaction,
  organizationId: string,
  events: readonly SubscribedType[] = [],
): Promise<void> {
  if (!events.includes('url.clicked')) return;
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
