import type { ErrorDetail } from '../contract/errors.js';
import { isExpired, type ShortUrl, type UrlDraft } from './short-url.js';
import type { UrlCreateRequest, UrlUpdateRequest } from './url-contract.js';
import type { UrlChange } from './url-repository.js';

type Settings = Omit<UrlUpdateRequest, 'isActive' | 'isPasswordProtected' | 'password'>;

/** Returns the error of an `expiresAt` in the past. A schema cannot check it without a clock. */
export function findExpiryError(
  body: Pick<UrlUpdateRequest, 'expiresAt'>,
  now: number,
): ErrorDetail | undefined {
  if (body.expiresAt == null || Date.parse(body.expiresAt) > now) return undefined;
  return {
    path: 'expiresAt',
    message: `must lie in the future (it is ${new Date(now).toISOString()})`,
  };
}

/** Returns the new link that a valid request describes. */
export function draftUrl(body: UrlCreateRequest, passwordHash: string | null): UrlDraft {
  return {
    customSlug: body.customSlug ?? null,
    targetUrl: body.targetUrl,
    title: body.title ?? null,
    description: body.description ?? null,
    category: body.category ?? null,
    tags: body.tags ?? [],
    domainId: body.domainId ?? null,
    redirectType: body.redirectType ?? 307,
    expiresAt: body.expiresAt == null ? null : Date.parse(body.expiresAt),
    passwordHash,
    utmSource: body.utmSource ?? null,
    utmMedium: body.utmMedium ?? null,
    utmCampaign: body.utmCampaign ?? null,
    utmTerm: body.utmTerm ?? null,
    utmContent: body.utmContent ?? null,
    customUtmParams: body.customUtmParams ?? {},
    sourceDomain: body.sourceDomain ?? null,
  };
}

/** Applies a PATCH to a link. A missing field stays as it is; null clears it. */
export function patchUrl(
  url: ShortUrl,
  patch: UrlUpdateRequest,
  newPasswordHash: string | null,
  now: number,
): UrlChange {
  const { isActive, isPasswordProtected, password, ...settings } = patch;
  const isProtected = isPasswordProtected ?? url.passwordHash !== null;
  if (isProtected && newPasswordHash === null && url.passwordHash === null) {
    return refuse('password', 'is needed when isPasswordProtected is true');
  }
  if (password != null && !isProtected) {
    return refuse('isPasswordProtected', 'must be true when a password is given');
  }
  const changed: ShortUrl = {
    ...url,
    ...settingsOf(settings),
    passwordHash: isProtected ? (newPasswordHash ?? url.passwordHash) : null,
    isActive: isActive ?? url.isActive,
  };
  if (isActive && isExpired(changed, now)) {
    return refuse('isActive', 'cannot be true: expiresAt has passed, so set a later one or null');
  }
  return { ok: true, url: changed };
}

const clearedValues = { tags: [], customUtmParams: {}, redirectType: 307 } as const;

function settingsOf({ expiresAt, ...rest }: Settings): Partial<ShortUrl> {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(
      given.map(([field, value]) => [
        field,
        value ?? clearedValues[field as keyof typeof clearedValues] ?? null,
      ]),
    ),
    ...(expiresAt !== undefined && {
      expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    }),
  };
}

function refuse(path: string, message: string): UrlChange {
  return { ok: false, error: { path, message } };
}
