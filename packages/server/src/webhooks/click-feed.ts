import type { Kysely } from 'kysely';
import { decodeColumns } from '../analytics/ingest/columns-codec.js';
import { selectSpans, toScannedUrls } from '../analytics/ingest/scanned-url.js';
import {
  allIndexes,
  type DictionaryColumnName,
  type VisitColumns,
} from '../analytics/ingest/visit-columns.js';
import { selectClicks, selectScans } from '../analytics/reports/visit-measures.js';
import { validationError } from '../contract/api-error.js';
import { recordsEvents } from '../events/event-outbox.js';
import { passesFilters, type Subscription, subscriptionOf } from '../events/subscription.js';
import type { PlanTable } from '../organizations/plans.js';
import type { Clock } from '../ports.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { type LinkOrigins, shortUrlOf } from '../urls/present-url.js';
import type { ClickedVisit } from './click-events.js';
import { addToQueue, type NewClicks } from './click-queue.js';

export interface ClickFeedOptions {
  readonly database: Database;
  readonly plans: PlanTable;
  readonly clock: Clock;
  readonly origins: LinkOrigins;
  /** The maximum number of visits that wait for one webhook. */
  readonly maxWaiting?: number;
}

type Subscriber = Pick<Schema['webhooks'], 'id' | 'organization_id'> &
  Pick<Subscription, 'filters'>;

// About 30 MB. A webhook gets 300 to 400 visits a second, so it catches up within six minutes.
const defaultMaxWaiting = 100_000;
// The number of batches, of up to 256 KB of the journal, that are read at once.
const batchesAtOnce = 16;
// Each visit is copied for each of them.
const maxSubscribers = 5;
const always = { since: 0, until: Number.POSITIVE_INFINITY };

/**
 * Starts the feed at the visits that are stored from now on, unless it has started. Callers have just
 * subscribed a webhook of the organization to `url.clicked`, in the same transaction, which holds its
 * lock. Throws VALIDATION_FAILED when too many webhooks subscribe.
 */
export async function startClickFeed(
  transaction: WriteTransaction,
  organizationId: string,
): Promise<void> {
  const subscribers = await findSubscribers(transaction);
  const own = subscribers.filter((webhook) => webhook.organization_id === organizationId);
  if (own.length > maxSubscribers) {
    const message = `can name url.clicked in at most ${maxSubscribers} webhooks of an organization`;
    throw validationError([{ path: 'events', message }]);
  }
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('click_feed')
    .values({ id: 1 })
    // Another organization may start the feed at the same time.
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return;
  // Those that were to be copied when the feed ended.
  await transaction
    .updateTable('visit_batches')
    .set({ to_copy: 0 })
    .where('to_copy', '=', 1)
    .execute();
}

/**
 * Copies stored visits into the queues of the webhooks that subscribe to `url.clicked`, each visit
 * exactly once: a transaction writes the copies and removes the mark `to_copy` of the batches, which the
 * ingest of visits has set. Compaction waits for it.
 */
export class ClickFeed {
  readonly #options: ClickFeedOptions;

  constructor(options: ClickFeedOptions) {
    this.#options = options;
  }

  /** Copies the visits that are stored when the call begins. Does nothing without a subscriber. */
  async copy(): Promise<void> {
    const { database, plans, clock, origins } = this.#options;
    const { read } = database;
    if (!(await isRunning(read))) return;
    const subscribers = await findSubscribers(read);
    if (subscribers.length === 0) return this.#end();
    const now = clock();
    const active = subscribers
      .filter((webhook) => recordsEvents(webhook, plans, now))
      .map((webhook) => ({ ...webhook, filters: subscriptionOf(webhook).filters }));
    const end = await lastBatch(read);
    for (;;) {
      const batches = await read
        .selectFrom('visit_batches')
        .select(['id', 'visits'])
        .where('to_copy', '=', 1)
        // Later ones belong to the next call.
        .where('id', '<=', end)
        .orderBy('id')
        .limit(batchesAtOnce)
        .execute();
      if (batches.length === 0) return;
      const copied: number[] = [];
      let clicks: readonly NewClicks[] = [];
      for (const { id, visits } of batches) {
        copied.push(id);
        clicks = await findClicks(read, decodeColumns(visits), active, origins);
        if (clicks.length > 0) break;
      }
      // Another node has copied these visits.
      if (!(await this.#store(copied, clicks))) return;
    }
  }

  /** Stores the clicks of the last of these batches; the others have none that a webhook gets. */
  #store(batchIds: readonly number[], clicks: readonly NewClicks[]): Promise<boolean> {
    const { database, maxWaiting = defaultMaxWaiting } = this.#options;
    const last = batchIds.at(-1) as number;
    return database.writeDirectly(async (transaction) => {
      const marked = await transaction
        .updateTable('visit_batches')
        .set({ to_copy: 0 })
        .where('id', 'in', batchIds)
        .where('to_copy', '=', 1)
        .returning('id')
        .execute();
      if (!marked.some(({ id }) => id === last)) return false;
      for (const each of clicks) await addToQueue(transaction, last, each, maxWaiting);
      return true;
    }, 'rows');
  }

  /** Ends the feed unless a webhook has subscribed meanwhile. */
  async #end(): Promise<void> {
    await this.#options.database.writeDirectly(async (transaction) => {
      if ((await findSubscribers(transaction)).length > 0) return;
      await transaction.deleteFrom('click_feed').execute();
    });
  }
}

async function isRunning(db: Kysely<Schema>): Promise<boolean> {
  return (await db.selectFrom('click_feed').select('id').executeTakeFirst()) !== undefined;
}

async function lastBatch(db: Kysely<Schema>): Promise<number> {
  const row = await db
    .selectFrom('visit_batches')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}

/** Returns the webhooks that subscribe to `url.clicked`, inactive ones included. */
function findSubscribers(db: Kysely<Schema>) {
  return (
    db
      .selectFrom('webhooks')
      .innerJoin('organizations', 'organizations.id', 'webhooks.organization_id')
      .select(['webhooks.id', 'organization_id', 'events', 'filters'])
      .select(['is_active', 'disabled_at', 'plan'])
      .where('events', 'like', '%"url.clicked"%')
      .where('deleted_at', 'is', null)
      // All nodes lock queues in ascending order, which prevents deadlock.
      .orderBy('webhooks.id')
      .execute()
  );
}

/** Returns the clicks of a batch that each webhook gets. */
async function findClicks(
  db: Kysely<Schema>,
  columns: VisitColumns,
  webhooks: readonly Subscriber[],
  origins: LinkOrigins,
): Promise<NewClicks[]> {
  const visits = { columns, indexes: allIndexes(columns) };
  const indexes = selectClicks(visits, always);
  const urls = await findUrls(db, columns, indexes, webhooks, origins);
  if (urls.size === 0) return [];
  const spans = await selectSpans(db)
    .where('qr_codes.url_id', 'in', [...urls.keys()])
    .execute();
  const scanned = toScannedUrls(spans);
  const urlIdAt = (index: number) => columns.urlIds[index] as number;
  const selected = selectScans(visits, always, (index) => scanned.get(urlIdAt(index)));
  const scans = new Set(selected.indexes);
  const proven = new Set(selected.proven);
  const certaintyOf = (index: number) => {
    if (!scans.has(index)) return undefined;
    return proven.has(index) ? 'proven' : 'inferred';
  };
  const linesOf = new Map<string, string[]>();
  for (const index of indexes) {
    const url = urls.get(urlIdAt(index));
    if (!url) continue;
    const line = JSON.stringify(visitAt(columns, index, url, certaintyOf(index)));
    const subject = { urlId: urlIdAt(index), domainId: url.domain_id, tags: url.tags };
    for (const webhook of webhooks) {
      if (webhook.organization_id !== url.organization_id) continue;
      if (!passesFilters(webhook, 'url.clicked', subject)) continue;
      const lines = linesOf.get(webhook.id);
      if (lines) lines.push(line);
      else linesOf.set(webhook.id, [line]);
    }
  }
  return webhooks.flatMap(({ id }) => {
    const lines = linesOf.get(id);
    return lines ? [{ webhookId: id, lines }] : [];
  });
}

type ClickedUrl = Pick<
  Schema['urls'],
  'organization_id' | 'short_code' | 'custom_slug' | 'domain_id' | 'tags'
> & { readonly shortUrl: string };

/** Returns the visited links of the organizations of these webhooks, by their ids. */
async function findUrls(
  db: Kysely<Schema>,
  { urlIds }: VisitColumns,
  indexes: Uint32Array,
  webhooks: readonly Subscriber[],
  origins: LinkOrigins,
): Promise<ReadonlyMap<number, ClickedUrl>> {
  const ids = new Set(Array.from(indexes, (index) => urlIds[index] as number));
  if (ids.size === 0 || webhooks.length === 0) return new Map();
  const rows = await db
    .selectFrom('urls')
    .leftJoin('domains', 'domains.id', 'urls.domain_id')
    .select(['urls.id', 'urls.organization_id', 'short_code', 'custom_slug', 'domain_id', 'tags'])
    .select('domains.hostname')
    .where('urls.id', 'in', [...ids])
    .execute();
  const owners = new Set(webhooks.map(({ organization_id }) => organization_id));
  return new Map(
    rows
      .filter(({ organization_id }) => owners.has(organization_id))
      .map(({ id, hostname, ...url }) => {
        const names = { shortCode: url.short_code, customSlug: url.custom_slug, hostname };
        return [id, { ...url, shortUrl: shortUrlOf(origins, names) }];
      }),
  );
}

/** Returns a visit without anything that identifies the visitor. */
function visitAt(
  { urlIds, visitedAt, dictionaries }: VisitColumns,
  index: number,
  { short_code, custom_slug, shortUrl }: ClickedUrl,
  scanCertainty: ClickedVisit['scanCertainty'],
): ClickedVisit {
  const textOf = (name: DictionaryColumnName) => {
    const { values, codes } = dictionaries[name];
    return values[codes[index] as number] as string;
  };
  const referrer = textOf('referrer');
  const space = referrer.indexOf(' ');
  return {
    urlId: String(urlIds[index]),
    shortCode: short_code,
    customSlug: custom_slug,
    shortUrl,
    visitedAt: new Date(visitedAt[index] as number).toISOString(),
    method: scanCertainty === undefined ? 'click' : 'scan',
    // Absent from clicks, because an event has at most 100 KB.
    ...(scanCertainty !== undefined && { scanCertainty }),
    country: textOf('country'),
    deviceType: textOf('deviceType') as ClickedVisit['deviceType'],
    browser: textOf('browser'),
    os: textOf('os'),
    referrerDomain: referrer.slice(space + 1),
    referrerType: referrer.slice(0, space) as ClickedVisit['referrerType'],
  };
}
