import { z } from 'zod';
import { type DataOfEvent, defineEvent } from '../events/define-event.js';
import type { EventOutbox } from '../events/event-outbox.js';
import type { EventType } from '../events/event-types.js';
import type { WriteTransaction } from '../storage/database.js';
import { formatTags } from '../storage/tag-text.js';
import { TimeSlices } from '../yield-to-event-loop.js';
import type { UrlRecord } from './present-url.js';
import type { ShortUrl } from './short-url.js';
import { urlRecord } from './url-schemas.js';

// Not strict, because receivers must accept fields that newer servers add.
const data = z.object(urlRecord.shape).meta({ id: 'UrlEventData' });

const linkEvent = <Type extends EventType>(type: Type, summary: string) =>
  defineEvent({ type, data, summary });

export const urlCreated = linkEvent('url.created', 'A link was created, alone or in bulk');
export const urlUpdated = linkEvent(
  'url.updated',
  'A link was changed, paused, resumed or deleted',
);
export const urlRestored = linkEvent(
  'url.restored',
  'A deleted link was restored: it is active again',
);
export const urlExpired = linkEvent('url.expired', 'A link expired');

export const urlDeleted = defineEvent({
  type: 'url.deleted',
  data: data
    .extend({
      isErased: z.boolean().meta({
        description:
          'True if nothing of the link is stored any more, so that it cannot be restored. The event then has no content of the link: targetUrl is empty.',
        example: false,
      }),
    })
    .meta({ id: 'UrlDeletedEventData' }),
  summary: 'A link was deleted, or erased',
});

type UrlEvent =
  | typeof urlCreated
  | typeof urlUpdated
  | typeof urlDeleted
  | typeof urlRestored
  | typeof urlExpired;

export type RecordUrls = ReturnType<typeof urlRecorder>;

/** Returns a function that writes an event for each link, in the transaction that changes the links. */
export function urlRecorder(
  outbox: EventOutbox,
  toEventData: (url: ShortUrl, now: number) => UrlRecord,
) {
  return async (
    transaction: WriteTransaction,
    event: UrlEvent,
    urls: readonly ShortUrl[],
    now: number,
  ): Promise<void> => {
    const slices = new TimeSlices();
    for (const url of urls) {
      if (slices.isOver) await slices.next();
      const data: DataOfEvent<UrlEvent> = {
        ...toEventData(url, now),
        ...(event === urlDeleted && { isErased: url.erasedAt !== null }),
      };
      const { id: urlId, domainId, organizationId } = url;
      const subject = { urlId, domainId, tags: formatTags(url.tags) };
      outbox.record(transaction, event, { organizationId, now, data, subject });
    }
  };
}
