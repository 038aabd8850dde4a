import { parseUrl } from '../parse-url.js';

// --dry-run checks these rules without a server. An import without --dry-run does not, because a newer
// server may have other limits.
const maxTargetBytes = 8192;
const maxTags = 20;
const slug = /^[A-Za-z0-9](?:[A-Za-z0-9-]{1,48})[A-Za-z0-9]$/;
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Returns the reason why the server would reject an item, or undefined when the item looks valid. */
export function findItemError(
  item: Readonly<Record<string, unknown>>,
  now: number,
): string | undefined {
  const { targetUrl, customSlug, tags, redirectType, expiresAt, domainId } = item;
  if (typeof targetUrl !== 'string') return 'targetUrl is missing';
  if (!/^https?:\/\//i.test(targetUrl)) return 'targetUrl must start with http:// or https://';
  if (!parseUrl(targetUrl)) return 'targetUrl must be a valid URL';
  if (Buffer.byteLength(targetUrl) > maxTargetBytes) {
    return `targetUrl must be at most ${maxTargetBytes} bytes long`;
  }
  if (typeof customSlug === 'string' && !slug.test(customSlug)) {
    return 'customSlug must be 3 to 50 letters, digits and hyphens, with no hyphen at either end';
  }
  if (Array.isArray(tags) && tags.length > maxTags)
    return `tags must contain at most ${maxTags} tags`;
  if (redirectType !== undefined && ![301, 302, 307, 308].includes(Number(redirectType))) {
    return 'redirectType must be 301, 302, 307 or 308';
  }
  if (typeof domainId === 'string' && !uuid.test(domainId)) return 'domainId must be a UUID';
  if (typeof expiresAt === 'string') {
    const time = zoned.test(expiresAt) ? Date.parse(expiresAt) : Number.NaN;
    if (Number.isNaN(time)) {
      return 'expiresAt must be an ISO-8601 time with a zone, such as 2030-12-31T23:59:59Z';
    }
    if (time <= now) return 'expiresAt must be in the future';
  }
  if (item.isPasswordProtected === true && !item.password) {
    return 'password is required when isPasswordProtected is true';
  }
  return undefined;
}
