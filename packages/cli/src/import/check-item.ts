import { parseInstant } from '../../../server/src/contract/parse-instant.js';
import { parseUrl } from '../parse-url.js';

// --dry-run checks these rules without a server, and reports them in its words. An import without --dry-run does not, because a newer
// server may have other limits.
const maxTargetBytes = 8192;
const maxTags = 20;
const slug = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Returns the reason why the server would reject an item, or undefined when the item looks valid. */
export function findItemError(
  item: Readonly<Record<string, unknown>>,
  now: number,
): string | undefined {
  const { targetUrl, customSlug, tags, redirectType, expiresAt, domainId } = item;
  if (typeof targetUrl !== 'string') return 'targetUrl is required (a string)';
  if (!/^https?:\/\//i.test(targetUrl)) return 'targetUrl must start with http:// or https://';
  if (!parseUrl(targetUrl)) return 'targetUrl must be a valid URL';
  if (Buffer.byteLength(targetUrl) > maxTargetBytes) {
    return `targetUrl must be at most ${maxTargetBytes} bytes long`;
  }
  if (typeof customSlug === 'string') {
    if (customSlug.length < 3 || customSlug.length > 50) {
      return 'customSlug must be 3 to 50 characters long';
    }
    if (!slug.test(customSlug)) {
      return 'customSlug must consist of letters, digits and hyphens (A-Z a-z 0-9 -), without a hyphen at either end';
    }
  }
  if (Array.isArray(tags) && tags.length > maxTags) return `tags must have at most ${maxTags} tags`;
  if (redirectType !== undefined && ![301, 302, 307, 308].includes(Number(redirectType))) {
    return 'redirectType must be 301, 302, 307 or 308';
  }
  if (typeof domainId === 'string' && !uuid.test(domainId)) return 'domainId must be a UUID';
  if (typeof expiresAt === 'string') {
    const time = parseInstant(expiresAt);
    if (time === undefined) {
      return `expiresAt is ${JSON.stringify(expiresAt)}: it must be an ISO 8601 date or time, such as 2030-12-31, 2030-12-31T23:59Z or 2030-12-31T23:59:59+02:00`;
    }
    if (time <= now) {
      return `expiresAt must lie in the future (now is ${new Date(now).toISOString()})`;
    }
  }
  if (item.isPasswordProtected === true && !item.password) {
    return 'password is needed when isPasswordProtected is true';
  }
  return undefined;
}
