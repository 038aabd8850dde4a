import type { ErrorDetail } from '../contract/errors.js';
import { nextUpdatedAt } from '../preconditions/if-match.js';
import { acceptFields } from './link-fields.js';
import { emptyUrl, isExpired, type ShortUrl } from './short-url.js';
import type { UrlCreateRequest, UrlUpdateRequest, UrlUpsertRequest } from './url-contract.js';
import { findPasswordError } from './url-fields.js';

export type UrlChange =
  | { readonly ok: true; readonly url: ShortUrl }
  | { readonly ok: false; readonly error: ErrorDetail };

/** Returns the error of an `expiresAt` in the past. A schema cannot check it without a clock. */
export function findExpiryError(
  body: Pick<UrlUpdateRequest, 'expiresAt'>,
  now: number,
): ErrorDetail | undefined {
  if (body.expiresAt == null || Date.parse(body.expiresAt) > now) return undefined;
  return {
    path: 'expiresAt',
    message: `is ${body.expiresAt}: it must lie in the future (now is ${new Date(now).toISOString()})`,
  };
}

/** Returns the error of an `importedCreatedAt` that no link can have been created at. */
export function findCreationError(
  { importedCreatedAt }: Pick<UrlCreateRequest, 'importedCreatedAt'>,
  now: number,
): ErrorDetail | undefined {
  if (importedCreatedAt == null) return undefined;
  const at = Date.parse(importedCreatedAt);
  if (at >= 0 && at <= now) return undefined;
  const rule = at < 0 ? 'before 1970' : `in the future (now is ${new Date(now).toISOString()})`;
  return { path: 'importedCreatedAt', message: `is ${importedCreatedAt}: it must not lie ${rule}` };
}

export interface UrlDraft {
  readonly body: UrlCreateRequest;
  readonly passwordHash: string | null;
}

/** Returns the new link of a valid request. The hostname is that of its custom domain. */
export function newUrl(
  { body, passwordHash }: UrlDraft,
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

/** Applies a PATCH to a link. A missing field stays as it is; null clears it. */
export function patchUrl(
  url: ShortUrl,
  patch: UrlUpdateRequest,
  newPasswordHash: string | null,
  now: number,
): UrlChange {
  const { isActive, isPasswordProtected, password } = patch;
  const isProtected = isPasswordProtected ?? url.passwordHash !== null;
  const error = findPasswordError(isProtected, password != null, url.passwordHash !== null);
  if (error) return { ok: false, error };
  const changesTarget = [patch.targetUrl, patch.expiredUrl, patch.rules].some(
    (target) => target !== undefined,
  );
  const changed: ShortUrl = {
    ...url,
    ...acceptFields(patch),
    targetUrl: patch.targetUrl ?? url.targetUrl,
    // The new target is not blocked. The next check finds the others, if there are any.
    targetBlockedAt: changesTarget ? null : url.targetBlockedAt,
    passwordHash: isProtected ? (newPasswordHash ?? url.passwordHash) : null,
    isActive: isActive ?? url.isActive,
    deletedAt: isActive ? null : url.deletedAt,
  };
  const activationError = findActivationError(changed);
  if (activationError) return { ok: false, error: activationError };
  if (isActive && isExpired(changed, now)) {
    const message = 'cannot be true: expiresAt has passed, so set a later one or null';
    return { ok: false, error: { path: 'isActive', message } };
  }
  return { ok: true, url: changed };
}

/** Returns the error of a link that would start redirecting after its end. */
export function findActivationError({
  activatesAt = null,
  expiresAt = null,
}: Partial<Pick<ShortUrl, 'activatesAt' | 'expiresAt'>>): ErrorDetail | undefined {
  if (activatesAt === null || expiresAt === null || activatesAt < expiresAt) return undefined;
  const [start, end] = [activatesAt, expiresAt].map((time) => new Date(time).toISOString());
  return { path: 'activatesAt', message: `is ${start}: it must be before expiresAt (${end})` };
}

export function upsertUrl(
  url: ShortUrl,
  {
    customSlug,
    importedCode,
    importedClicks,
    importedCreatedAt,
    isActive,
    ...settings
  }: UrlUpsertRequest,
  newPasswordHash: string | null,
  now: number,
): UrlChange {
  if (customSlug != null && customSlug !== url.customSlug) {
    const message = `${JSON.stringify(customSlug)} cannot replace ${JSON.stringify(url.customSlug)}: the slug of a link never changes`;
    return { ok: false, error: { path: 'customSlug', message } };
  }
  if (importedCode != null && importedCode !== url.shortCode) {
    const message = `${JSON.stringify(importedCode)} cannot replace ${JSON.stringify(url.shortCode)}: the code of a link never changes`;
    return { ok: false, error: { path: 'importedCode', message } };
  }
  if (importedCreatedAt != null && Date.parse(importedCreatedAt) !== url.createdAt) {
    const message = `${importedCreatedAt} cannot replace ${new Date(url.createdAt).toISOString()}: it is set only when a link is created`;
    return { ok: false, error: { path: 'importedCreatedAt', message } };
  }
  if (importedClicks != null && importedClicks !== url.importedClicks) {
    const message = `${importedClicks} cannot replace ${url.importedClicks}: it is set only when a link is created`;
    return { ok: false, error: { path: 'importedClicks', message } };
  }
  const patch: UrlUpdateRequest = { ...settings, ...(isActive != null && { isActive }) };
  return patchUrl(url, patch, newPasswordHash, now);
}
