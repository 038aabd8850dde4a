import { wantsEvent } from '../events/event-outbox.js';
import type { EventType } from '../events/event-types.js';
import { type Subscription, subscriptionOf, wantsType } from '../events/subscription.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { isNotLeased } from './endpoint-leases.js';

// The maximum number of deliveries that one transaction reads and changes.
const batchSize = 256;

/** The position in the pending deliveries of a webhook, which are read in the order of their due times. */
interface Walk {
  /** Identifies the PATCH. A later one starts another walk. */
  readonly unsubscribedAt: number;
  readonly position: { readonly dueAt: number; readonly id: string };
  /** Whether the walk has found unwanted deliveries. Some may have moved behind the position. */
  readonly mustRepeat: boolean;
}

/**
 * Ends pending deliveries that their webhook no longer wants, because a PATCH removed event types or
 * changed filters. They fail with the reason. Until then, the dispatcher claims none of the webhook.
 */
export class UnwantedDeliveries {
  readonly #database: Database;
  readonly #walks = new Map<string, Walk>();
  #lastWebhookId = '';

  constructor(database: Database) {
    this.#database = database;
  }

  /** Ends deliveries of one webhook. Webhooks take turns. Returns whether to call it again at once. */
  async endSome(now: number): Promise<boolean> {
    const webhook = (await this.#findWebhook(this.#lastWebhookId)) ?? (await this.#findWebhook(''));
    if (!webhook) return false;
    const { id, unsubscribedAt } = webhook;
    this.#lastWebhookId = id;
    const known = this.#walks.get(id);
    const walk =
      known?.unsubscribedAt === unsubscribedAt
        ? known
        : { unsubscribedAt, position: { dueAt: -1, id: '' }, mustRepeat: false };
    const batch = await this.#read(id, walk);
    const subscription = subscriptionOf(webhook);
    const unwanted = batch.filter(
      // Test events and replays are always wanted.
      (row) => row.is_charged === 1 && !wantsEvent(subscription, row),
    );
    // Streams lease deliveries by `due_at`. Their outcomes are recorded first.
    const ended = unwanted.filter(
      ({ due_at, next_attempt_at }) => due_at <= now || due_at === next_attempt_at,
    );
    const mustRepeat = walk.mustRepeat || unwanted.length > 0;
    const last = batch.length === batchSize ? batch.at(-1) : undefined;
    const isComplete = last === undefined && !mustRepeat;
    if (ended.length > 0 || isComplete) {
      await this.#database.writeDirectly(async (transaction) => {
        await this.#end(transaction, subscription, ended);
        if (isComplete) await complete(transaction, id, unsubscribedAt);
      }, 'rows');
    }
    if (last) {
      const position = { dueAt: last.due_at, id: last.id };
      this.#walks.set(id, { unsubscribedAt, position, mustRepeat });
    } else this.#walks.delete(id);
    return last !== undefined || ended.length > 0 || isComplete;
  }

  /** Returns the next webhook after this one whose subscription has shrunk. */
  async #findWebhook(after: string) {
    return (
      this.#database.read
        .selectFrom('webhooks')
        .select(['id', 'events', 'filters', 'unsubscribed_at as unsubscribedAt'])
        .where('unsubscribed_at', 'is not', null)
        .where('id', '>', after)
        // The outcomes of attempts in progress are recorded first.
        .where(isNotLeased(this.#database))
        .orderBy('id')
        .limit(1)
        .$narrowType<{ unsubscribedAt: number }>()
        .executeTakeFirst()
    );
  }

  /** Returns the next pending deliveries. */
  #read(webhookId: string, { position: { dueAt, id } }: Walk) {
    return this.#database.read
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select(['deliveries.id', 'due_at', 'next_attempt_at', 'is_charged'])
      .select(['events.type', 'events.url_id', 'events.domain_id', 'events.tags'])
      .where('webhook_id', '=', webhookId)
      .where('due_at', 'is not', null)
      .where('due_at', '>=', dueAt)
      .where(({ or, eb }) => or([eb('due_at', '>', dueAt), eb('deliveries.id', '>', id)]))
      .orderBy('due_at')
      .orderBy('deliveries.id')
      .limit(batchSize)
      .$narrowType<{ due_at: number }>()
      .execute();
  }

  #end(
    transaction: WriteTransaction,
    subscription: Subscription,
    rows: readonly { readonly id: string; readonly due_at: number; readonly type: string }[],
  ): Promise<readonly boolean[]> {
    const ended = { status: 'failed', due_at: null, next_attempt_at: null };
    return this.#database.updateEach(
      transaction,
      'deliveries',
      rows.map(({ id, due_at, type }) => ({
        set: { ...ended, last_error: reasonOf(subscription, type as EventType) },
        where: { id, due_at },
      })),
    );
  }
}

async function complete(
  transaction: WriteTransaction,
  webhookId: string,
  unsubscribedAt: number,
): Promise<void> {
  await transaction
    .updateTable('webhooks')
    .set({ unsubscribed_at: null })
    .where('id', '=', webhookId)
    // A later PATCH starts another walk.
    .where('unsubscribed_at', '=', unsubscribedAt)
    .execute();
}

function reasonOf(webhook: Subscription, type: EventType): string {
  if (!wantsType(webhook, type)) return `The webhook no longer subscribes to ${type}`;
  return 'The filters of the webhook no longer allow this event';
}
