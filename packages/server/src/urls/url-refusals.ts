import { ApiError, shorten } from '../contract/api-error.js';
import { maxHops } from './loop-detector.js';

const refusals = {
  'slug-conflict': { code: 'SLUG_CONFLICT', message: 'is taken on this domain' },
  'quota-exceeded': {
    code: 'QUOTA_EXCEEDED',
    message: "The organization has reached its plan's bundle of active links",
  },
  'domain-invalid': {
    code: 'DOMAIN_INVALID',
    message: 'domainId is not an active domain of this organization',
  },
  loop: {
    code: 'VALIDATION_FAILED',
    message: `must not lead back to this link, directly or through other links, and must not lead through more than ${maxHops} links of this server`,
  },
  'not-found': { code: 'NOT_FOUND', message: 'There is no such URL in this organization' },
} as const;

/** Why the repository refuses to write a link. */
export type Refusal = keyof typeof refusals;

/** The fields of a request that an error message repeats. */
export interface RefusedFields {
  readonly customSlug?: string | null | undefined;
  readonly targetUrl?: string | undefined;
}

/** Returns the error of a request for one link. */
export function refusalError(reason: Refusal, body: RefusedFields = {}, replayed = false) {
  const { code, message } = refusals[reason];
  const details = reason === 'loop' ? [{ path: 'targetUrl', message }] : [];
  return new ApiError(code, refusalMessage(reason, body), { details, replayed });
}

/** Returns the error of an item of a bulk create. */
export function bulkCreateError(reason: Exclude<Refusal, 'not-found'>, item: RefusedFields) {
  const { code } = refusals[reason];
  return {
    error: refusalMessage(reason, item),
    code: code === 'VALIDATION_FAILED' ? 'CREATE_FAILED' : code,
  } as const;
}

/** Returns the error of an item of a bulk update. */
export function bulkUpdateError(reason: Refusal, item: RefusedFields) {
  return {
    error: refusalMessage(reason, item),
    code: reason === 'not-found' ? 'NOT_FOUND' : 'UPDATE_FAILED',
  } as const;
}

function refusalMessage(reason: Refusal, { customSlug, targetUrl }: RefusedFields): string {
  const { message } = refusals[reason];
  if (reason === 'slug-conflict') return `The slug ${customSlug ?? 'or code'} ${message}`;
  if (reason !== 'loop') return message;
  return `targetUrl ${targetUrl === undefined ? '' : `${shorten(targetUrl)} `}${message}`;
}
