import { nextUpdatedAt } from '../preconditions/if-match.js';
import type { ShortUrl } from './short-url.js';

/** The target of a link that is being erased. No other link has it. */
const erasedTarget = '';

/** Returns whether a link is being erased. Its record has nothing but its keys. */
export function isBeingErased({ targetUrl }: Pick<ShortUrl, 'targetUrl'>): boolean {
  return targetUrl === erasedTarget;
}

/** Returns what is left of a link. Lists all fields, so that a new one is not forgotten. */
export function erasedUrl(url: ShortUrl, now: number): ShortUrl {
  const { id, organizationId, domainId, hostname, shortCode, customSlug } = url;
  return {
    id,
    organizationId,
    domainId,
    hostname,
    shortCode,
    customSlug,
    externalId: null,
    targetUrl: erasedTarget,
    title: null,
    description: null,
    category: null,
    tags: [],
    redirectType: 302,
    activatesAt: null,
    expiresAt: null,
    expiredUrl: null,
    passwordHash: null,
    sourceDomain: null,
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: null,
    utmContent: null,
    customUtmParams: {},
    isActive: false,
    deletedAt: now,
    maxClicks: null,
    erasedClicks: 0,
    usedClicks: 0,
    clickCount: 0,
    excludedClicks: 0,
    importedClicks: 0,
    clickThresholds: null,
    forwardQuery: null,
    forwardPath: null,
    rules: [],
    preview: null,
    lastClickAt: null,
    takenDownAt: null,
    takedownReason: null,
    createdAt: url.createdAt,
    updatedAt: nextUpdatedAt(url.updatedAt, now),
  };
}
