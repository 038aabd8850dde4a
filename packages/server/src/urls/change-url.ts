import { type ApiError, invalidField } from '../contract/api-error.js';
import type { ErrorDetail } from '../contract/errors.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import { acceptFields } from './link-fields.js';

import { emptyUrl, isExpired, type ShortUrl } from './short-url.js';
import type { UrlCreateRequest, UrlUpdateRequest, UrlUpsertRequest } from './url-contract.js';

/** Returns the error of a time that no link can have now. A schema cannot check it without a clock. */
export function findTimeError(
  body: Pick<UrlCreateRequest, 'activatesAt' | 'expiresAt' | 'importedCreatedAt'>,
  now: number,
): ErrorDetail | undefined {
  const { activatesAt, expiresAt, importedCreatedAt } = body;
  const current = `now is ${new Date(now).toISOString()}`;
  if (expiresAt != null && Date.parse(expiresAt) <= now) {
    const message = `is ${expiresAt}: it must lie in the future (${current})`;
    return { path: 'expiresAt', message };
  }
  const createdAt = importedCreatedAt == null ? now : Date.parse(importedCreatedAt);
  if (createdAt < 0 || createdAt > now) {
    const rule = createdAt < 0 ? 'before 1970' : `in the future (${current})`;
    const message = `is ${importedCreatedAt}: it must not lie ${rule}`;
    return { path: 'importedCreatedAt', message };
  }
  return activatesAt == null
    ? undefined
    : findActivationError(acceptFields({ activatesAt, expiresAt }));
}

/** Returns the error of a link that would start redirecting after its end. */
function findActivationError({
  activatesAt = null,
  expiresAt = null,
}: Partial<Pick<ShortUrl, 'activatesAt' | 'expiresAt'>>): ErrorDetail | undefined {
  if (activatesAt === null || expiresAt === null || activatesAt < expiresAt) return undefined;
  const [start, end] = [activatesAt, expiresAt].map((time) => new Date(time).toISOString());
  return { path: 'activatesAt', message: `is ${start}: it must be before expiresAt (${end})` };
}

/** A valid request for a link, with the hash of its password. */
export interface Draft<Body> {
  readonly body: Body;
  readonly passwordHash: string | null;
}

/** Returns the new link of a request. The hostname is that of its custom domain. */
export function newUrl(
  { body, passwordHash }: Draft<UrlCreateRequest>,
  identity: Pick<ShortUrl, 'id' | 'organizationId' | 'shortCode' | 'hostname'> &
    Partial<Pick<ShortUrl, 'createdBy'>>,
  now: number,
): ShortUrl {
  return {
    ...emptyUrl,
    ...acceptFields(body),
    ...identity,
    customSlug: body.customSlug ?? null,
    targetUrl: body.targetUrl,
    passwordHash,
    isActive: body.isActive ?? true,
    importedClicks: body.importedClicks ?? 0,
    createdAt: body.importedCreatedAt == null ? now : Date.parse(body.importedCreatedAt),
    updatedAt: now,
  };
}

/** Returns what is left of a link that is being erased: its keys. */
export function erasedUrl(url: ShortUrl, now: number): ShortUrl {
  const { id, organizationId, domainId, hostname, shortCode, customSlug, createdAt } = url;
  return {
    ...emptyUrl,
    ...{ id, organizationId, domainId, hostname, shortCode, customSlug, createdAt },
    deletedAt: now,
    erasedAt: now,
    updatedAt: nextUpdatedAt(url.updatedAt, now),
  };
}

/** Applies a PATCH to a link. A missing field stays as it is; null clears it. Throws an ApiError. */
export function patchUrl(
  url: ShortUrl,
  { body: patch, passwordHash }: Draft<UrlUpdateRequest>,
  now: number,
): ShortUrl {
  const { isActive } = patch;
  // Null, too, keeps the protection as it is.
  const isProtected = patch.isPasswordProtected ?? url.passwordHash !== null;
  const passwordError = findPasswordError(url.passwordHash, patch);
  if (passwordError) throw passwordError;
  const changesTarget = [patch.targetUrl, patch.expiredUrl, patch.rules].some(
    (target) => target !== undefined,
  );
  const changed: ShortUrl = {
    ...url,
    ...acceptFields(patch),
    targetUrl: patch.targetUrl ?? url.targetUrl,
    // The new target is not blocked. The next check finds the others, if there are any.
    targetBlockedAt: changesTarget ? null : url.targetBlockedAt,
    passwordHash: isProtected ? (passwordHash ?? url.passwordHash) : null,
    isActive: isActive ?? url.isActive,
    deletedAt: isActive ? null : url.deletedAt,
  };
  const error = findActivationError(changed);
  if (error) throw invalidField(error.path, error.message);
  if (isActive && isExpired(changed, now)) {
    const message = 'cannot be true: expiresAt has passed, so set a later one or null';
    throw invalidField('isActive', message);
  }
  return changed;
}

/** Applies a PUT to a link that exists. Throws an ApiError for a field that is set only at a create. */
export function upsertUrl(
  url: ShortUrl,
  { body, passwordHash }: Draft<UrlUpsertRequest>,
  now: number,
): ShortUrl {
  const { customSlug, importedCode, importedClicks, importedCreatedAt, isActive, ...settings } =
    body;
  const fixed = [
    ['customSlug', customSlug, url.customSlug, 'the slug of a link never changes'],
    ['importedCode', importedCode, url.shortCode, 'the code of a link never changes'],
    ['importedCreatedAt', importedCreatedAt, new Date(url.createdAt).toISOString(), setOnce],
    ['importedClicks', importedClicks, url.importedClicks, setOnce],
  ] as const;
  for (const [path, wanted, current, rule] of fixed) {
    if (wanted == null || wanted === current) continue;
    const message = `${JSON.stringify(wanted)} cannot replace ${JSON.stringify(current)}: ${rule}`;
    throw invalidField(path, message);
  }
  const patch = { ...settings, ...(isActive != null && { isActive }) };
  return patchUrl(url, { body: patch, passwordHash }, now);
}

const setOnce = 'it is set only when a link is created';

/** Returns the error of a request for protection without a password, or the reverse. */
export function findPasswordError(
  before: string | null,
  { isPasswordProtected, password }: Pick<UrlUpdateRequest, 'isPasswordProtected' | 'password'>,
): ApiError | undefined {
  const isProtected = isPasswordProtected ?? before !== null;
  if (isProtected && password == null && before === null) {
    return invalidField('password', 'is needed when isPasswordProtected is true');
  }
  if (isProtected || password == null) return undefined;
  return invalidField('isPasswordProtected', 'must be true when a password is given');
}
