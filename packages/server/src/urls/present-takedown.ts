import type { z } from 'zod';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { blockedHostRecord } from './blocked-host-contract.js';
import type { BlockedHost } from './blocked-host-repository.js';
import { type LinkOrigins, shortUrlOf } from './link-origins.js';
import type { ShortUrl } from './short-url.js';
import type { takedownRecord } from './takedown-contract.js';

/** A takedown as the API presents it. */
export type TakedownRecord = z.input<typeof takedownRecord>;

/** A blocked host as the API presents it. */
export type BlockedHostRecord = z.input<typeof blockedHostRecord>;

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

export function toBlockedHostRecord(host: BlockedHost): BlockedHostRecord {
  return presentAs(blockedHostRecord, withIsoTimes(host));
}
