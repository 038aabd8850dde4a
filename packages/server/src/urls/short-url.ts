/** A link as this server knows it. Instants are milliseconds since 1970. */
export interface ShortUrl extends UrlSettings {
  readonly id: number;
  readonly organizationId: string;
  readonly shortCode: string;
  readonly customSlug: string | null;
  /** The name of its custom domain; null on the platform's. */
  readonly hostname: string | null;
  readonly isActive: boolean;
  readonly clickCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What its owner chose and may change. */
export interface UrlSettings {
  readonly targetUrl: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly category: string | null;
  readonly tags: readonly string[];
  /** A custom domain, or null for the platform's. */
  readonly domainId: string | null;
  readonly redirectType: RedirectType;
  readonly expiresAt: number | null;
  readonly passwordHash: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmTerm: string | null;
  readonly utmContent: string | null;
  readonly customUtmParams: Readonly<Record<string, string>>;
  readonly sourceDomain: string | null;
}

export type RedirectType = 301 | 302 | 307 | 308;

/** A link that does not exist yet. */
export interface UrlDraft extends UrlSettings {
  readonly customSlug: string | null;
}

/** A link past its `expiresAt` never redirects, even before its record has turned inactive. */
export function isExpired(url: { expiresAt: number | null }, now: number): boolean {
  return url.expiresAt !== null && url.expiresAt <= now;
}

/** Whether visitors are redirected now. */
export function isLive(url: Pick<ShortUrl, 'isActive' | 'expiresAt'>, now: number): boolean {
  return url.isActive && !isExpired(url, now);
}
