import type { z } from 'zod';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { blockedHostRecord } from './host-rule-contract.js';
import type { RuledHost } from './host-rule-repository.js';
import { type LinkOrigins, shortUrlOf } from './link-origins.js';
import type { ShortUrl } from './short-url.js';
import type { takedownRecord } from './takedown-contract.js';

/** A takedown as the API presents it. */
export type TakedownRecord = z.input<typeof takedownRecord>;

/** A blocked or allowed host as the API presents it. */
export type RuledHostRecord = z.input<typeof blockedHostRecord>;

/** Returns the takedown of a link that is taken down. */
export function toTakedownRecord(origins: LinkOrigins, url: ShortUrl): TakedownRecord {
  return {
    id: String(url.id),
    organizationId: url.organizationId,
    shortUrl: shortUrlOf(origins, url),
    targetUrl: url.targetUrl,
    reason: url.takedownReason ?? '',
    createdAt: new Date(url.takenDownAt ?? 0).toISOString(),
  };
}

export function toRuledHostRecord(host: RuledHost): RuledHostRecord {
  return presentAs(blockedHostRecord, withIsoTimes(host));
}
