import { type LinkName, linkNameOf } from '../urls/loop-detector.js';
import { isExpired, type RedirectType, type ShortUrl } from '../urls/short-url.js';
import { utmFields } from '../urls/url-contract.js';
import { injectUtm, type UtmParameters } from './inject-utm.js';

/** The fields of a link that a redirect needs. They do not depend on the request. */
export interface Link {
  readonly urlId: number;
  readonly organizationId: string;
  readonly shortCode: string;
  readonly status: RedirectType;
  /** The Location header: one ASCII line. */
  readonly location: string;
  readonly cacheControl: string;
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly passwordHash: string | null;
  /** The hostname and key of its target; undefined when the path cannot be that of a short link. */
  readonly targetName: LinkName | undefined;
  /** Whether its target leads back to it through hosts that this server knows. */
  readonly isLoop: boolean;
}

// A short max-age, because a cached permanent redirect ignores edits and pauses of its link.
const cacheControls: Record<RedirectType, string> = {
  301: 'private, max-age=90',
  302: 'no-store',
  307: 'no-store',
  308: 'private, max-age=90',
};

export function toLink(url: ShortUrl, isLoop = false): Link {
  return {
    urlId: url.id,
    organizationId: url.organizationId,
    shortCode: url.shortCode,
    status: url.redirectType,
    location: injectUtm(new URL(url.targetUrl).href, utmParametersOf(url)),
    cacheControl: cacheControls[url.redirectType],
    isActive: url.isActive,
    expiresAt: url.expiresAt,
    passwordHash: url.passwordHash,
    targetName: linkNameOf(url.targetUrl),
    isLoop,
  };
}

function utmParametersOf(url: ShortUrl): UtmParameters {
  const named = Object.entries(utmFields).flatMap(([field, parameter]) => {
    const value = url[field as keyof typeof utmFields];
    return value === null ? [] : [[parameter, value] as const];
  });
  return [...named, ...Object.entries(url.customUtmParams)];
}

/** The kind of response to a visit. */
export type Decision = 'redirect' | 'ask-password' | 'gone' | 'unknown';

export function decideRedirect(link: Link | undefined, now: number): Decision {
  if (!link) return 'unknown';
  if (!link.isActive || link.isLoop || isExpired(link, now)) return 'gone';
  return link.passwordHash === null ? 'redirect' : 'ask-password';
}
