import { parseInstant } from '../../../server/src/contract/parse-instant.js';
import { parseUrl } from '../parse-url.js';

// --dry-run checks these rules without a server, and reports them in its words. An import without --dry-run does not, because a newer
// server may have other limits.
const maxTargetBytes = 8192;
const maxTags = 20;
const mostClicks = 1_000_000_000_000;
const slug = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const maxCodeLength = 100;
const emptySegments = ['', '.', '..'];
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Returns the reason why the server would reject an item, or undefined when the item looks valid. */
export function findItemError(
  item: Readonly<Record<string, unknown>>,
  now: number,
): string | undefined {
  const { targetUrl, customSlug, importedCode } = item;
  const { tags, redirectType, expiredUrl, maxClicks, domainId } = item;
  if (typeof targetUrl !== 'string') return 'targetUrl is required (a string)';
  const targetError = findTargetError('targetUrl', targetUrl);
  if (targetError !== undefined) return targetError;
  if (typeof customSlug === 'string') {
    if (customSlug.length < 3 || customSlug.length > 50) {
      return 'customSlug must be 3 to 50 characters long';
    }
    if (!slug.test(customSlug)) {
      return 'customSlug must consist of letters, digits and hyphens (A-Z a-z 0-9 -), without a hyphen at either end';
    }
  }
  if (typeof importedCode === 'string') {
    const error = findCodeError(importedCode);
    if (error !== undefined) return error;
  }
  if (Array.isArray(tags) && tags.length > maxTags) return `tags must have at most ${maxTags} tags`;
  if (redirectType !== undefined && ![301, 302, 307, 308].includes(Number(redirectType))) {
    return 'redirectType must be 301, 302, 307 or 308';
  }
  if (typeof domainId === 'string' && !uuid.test(domainId)) return 'domainId must be a UUID';
  if (typeof expiredUrl === 'string') {
    const error = findTargetError('expiredUrl', expiredUrl);
    if (error !== undefined) return error;
  }
  if (typeof maxClicks === 'number') {
    if (maxClicks < 1) return 'maxClicks must be at least 1';
    if (maxClicks > mostClicks) return `maxClicks must be at most ${mostClicks}`;
  }
  const timeError = findTimeError(item, now);
  if (timeError !== undefined) return timeError;
  if (item.isPasswordProtected === true && !item.password) {
    return 'password is needed when isPasswordProtected is true';
  }
  return undefined;
}

function findCodeError(code: string): string | undefined {
  if (code.length > maxCodeLength) {
    return `importedCode must be at most ${maxCodeLength} characters long`;
  }
  if (!/^[A-Za-z0-9._~/-]+$/.test(code)) {
    return 'importedCode must consist of letters, digits and the characters . _ ~ - /';
  }
  return code.split('/').some((segment) => emptySegments.includes(segment))
    ? 'importedCode must have no empty segment, and none that is . or ..'
    : undefined;
}

function findTargetError(field: string, target: string): string | undefined {
  if (!/^https?:\/\//i.test(target)) return `${field} must start with http:// or https://`;
  if (!parseUrl(target)) return `${field} must be a valid URL`;
  const isLong = Buffer.byteLength(target) > maxTargetBytes;
  return isLong ? `${field} must be at most ${maxTargetBytes} bytes long` : undefined;
}

function findTimeError(
  { activatesAt, expiresAt, importedCreatedAt }: Readonly<Record<string, unknown>>,
  now: number,
): string | undefined {
  for (const [field, text] of Object.entries({ activatesAt, expiresAt, importedCreatedAt })) {
    if (typeof text !== 'string' || parseInstant(text) !== undefined) continue;
    return `${field} is ${JSON.stringify(text)}: it must be an ISO 8601 date or time, such as 2030-12-31, 2030-12-31T23:59Z or 2030-12-31T23:59:59+02:00`;
  }
  const created =
    typeof importedCreatedAt === 'string' ? parseInstant(importedCreatedAt) : undefined;
  const start = typeof activatesAt === 'string' ? parseInstant(activatesAt) : undefined;
  const end = typeof expiresAt === 'string' ? parseInstant(expiresAt) : undefined;
  const show = (time: number) => new Date(time).toISOString();
  if (end !== undefined) {
    if (start !== undefined && start >= end) return 'activatesAt must be before expiresAt';
    if (end <= now) {
      return `expiresAt is ${show(end)}: it must lie in the future (now is ${show(now)})`;
    }
  }
  if (created === undefined || (created >= 0 && created <= now)) return undefined;
  const rule = created < 0 ? 'before 1970' : `in the future (now is ${show(now)})`;
  return `importedCreatedAt is ${show(created)}: it must not lie ${rule}`;
}
