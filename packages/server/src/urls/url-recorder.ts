import type { DataOfEvent } from '../events/define-event.js';
import type { EventOutbox, NewEvent } from '../events/event-outbox.js';
import type { EventSubject } from '../events/subscription.js';
import type { WriteTransaction } from '../storage/database.js';
import { formatTags } from '../storage/tag-text.js';
import type { ShortUrl } from './short-url.js';
import {
  previousOf,
  type urlCreated,
  urlDeleted,
  type urlExpired,
  type urlRestored,
  urlUpdated,
} from './url-events.js';
import { type ChangedUrl, slicesOf } from './url-write.js';

type RecordEvent = typeof urlCreated | typeof urlRestored | typeof urlExpired;

export interface UrlRecorderOptions {
  readonly outbox: EventOutbox;
  /** Returns the public record of a link for its events. */
  readonly toEventData: (url: ShortUrl, now: number) => DataOfEvent<typeof urlCreated>;
}

/** Writes the events of links, in the transaction that changes them. */
export class UrlRecorder {
  readonly #options: UrlRecorderOptions;

  constructor(options: UrlRecorderOptions) {
    this.#options = options;
  }

  /** Writes an event for each link. */
  record(
    transaction: WriteTransaction,
    event: RecordEvent,
    organizationId: string,
    urls: readonly ShortUrl[],
    now: number,
  ): Promise<void> {
    const { toEventData } = this.#options;
    return this.#recordEach(transaction, event, organizationId, urls, now, (url) => ({
      data: toEventData(url, now),
      subject: subjectOf(url),
    }));
  }

  /** Writes `url.updated` for each link. */
  recordUpdates(
    transaction: WriteTransaction,
    organizationId: string,
    changed: readonly ChangedUrl[],
    now: number,
  ): Promise<void> {
    const { toEventData } = this.#options;
    return this.#recordEach(transaction, urlUpdated, organizationId, changed, now, (change) => {
      const data = toEventData(change.url, now);
      const previous = previousOf(toEventData(change.before, now), data);
      return { data: { ...data, previous }, subject: subjectOf(change.url) };
    });
  }

  /** Writes `url.deleted` for each link. An erased link has no content any more. */
  recordDeletions(
    transaction: WriteTransaction,
    organizationId: string,
    urls: readonly ShortUrl[],
    now: number,
    { isErased = false }: { readonly isErased?: boolean } = {},
  ): Promise<void> {
    const { toEventData } = this.#options;
    return this.#recordEach(transaction, urlDeleted, organizationId, urls, now, (url) => ({
      data: { ...toEventData(url, now), isErased },
      subject: subjectOf(url),
    }));
  }

  async #recordEach<Event extends RecordEvent | typeof urlUpdated | typeof urlDeleted, Item>(
    transaction: WriteTransaction,
    event: Event,
    organizationId: string,
    items: readonly Item[],
    now: number,
    describe: (item: Item) => NewEvent<Event>,
  ): Promise<void> {
    const { outbox } = this.#options;
    for await (const slice of slicesOf(items)) {
      outbox.record(transaction, organizationId, event, now, slice.map(describe));
    }
  }
}

function subjectOf({ id, domainId, tags }: ShortUrl): EventSubject {
  return { urlId: id, domainId, tags: formatTags(tags) };
}
