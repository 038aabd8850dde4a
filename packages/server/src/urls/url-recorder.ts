import type { DataOfEvent, EventDefinition } from '../events/define-event.js';
import type { EventOutbox } from '../events/event-outbox.js';
import type { WriteTransaction } from '../storage/database.js';
import { formatTags } from '../storage/tag-text.js';
import { TimeSlices } from '../yield-to-event-loop.js';
import type { UrlRecord } from './present-url.js';
import type { ShortUrl } from './short-url.js';
import {
  previousOf,
  type urlCreated,
  urlDeleted,
  type urlExpired,
  type urlRestored,
  urlUpdated,
} from './url-events.js';
import type { ChangedUrl } from './url-write.js';

export interface UrlRecorderOptions {
  readonly outbox: EventOutbox;
  readonly toEventData: (url: ShortUrl, now: number) => UrlRecord;
}

/** Writes the events of links, in the transaction that changes them. */
export class UrlRecorder {
  readonly #options: UrlRecorderOptions;

  constructor(options: UrlRecorderOptions) {
    this.#options = options;
  }

  record(
    transaction: WriteTransaction,
    event: typeof urlCreated | typeof urlRestored | typeof urlExpired,
    urls: readonly ShortUrl[],
    now: number,
  ): Promise<void> {
    const changes = urls.map((url) => ({ url }));
    return this.#recordEach(transaction, event, changes, now, (data) => data);
  }

  recordUpdates(
    transaction: WriteTransaction,
    changed: readonly ChangedUrl[],
    now: number,
  ): Promise<void> {
    return this.#recordEach(transaction, urlUpdated, changed, now, (data, { before }) => ({
      ...data,
      previous: previousOf(this.#options.toEventData(before, now), data),
    }));
  }

  /** Writes `url.deleted` for each link. An erased link has no content any more. */
  recordDeletions(
    transaction: WriteTransaction,
    urls: readonly ShortUrl[],
    now: number,
  ): Promise<void> {
    const changes = urls.map((url) => ({ url }));
    return this.#recordEach(transaction, urlDeleted, changes, now, (data, { url }) => ({
      ...data,
      isErased: url.erasedAt !== null,
    }));
  }

  async #recordEach<Event extends EventDefinition, Change extends { readonly url: ShortUrl }>(
    transaction: WriteTransaction,
    event: Event,
    changes: readonly Change[],
    now: number,
    describe: (data: UrlRecord, change: Change) => DataOfEvent<Event>,
  ): Promise<void> {
    const { outbox, toEventData } = this.#options;
    const slices = new TimeSlices();
    for (const change of changes) {
      if (slices.isOver) await slices.next();
      const { id: urlId, domainId, tags, organizationId } = change.url;
      const data = describe(toEventData(change.url, now), change);
      const subject = { urlId, domainId, tags: formatTags(tags) };
      outbox.record(transaction, organizationId, event, now, [{ data, subject }]);
    }
  }
}
