import {
  ApiError,
  notFoundMessage,
  quotaError,
  shorten,
  summarize,
} from '../contract/api-error.js';
import type { ErrorDetail } from '../contract/errors.js';
import { describeQuota, type Quota } from '../organizations/plans.js';

const refusals = {
  'slug-conflict': { code: 'SLUG_CONFLICT', message: 'is taken on this domain' },
  'external-id-conflict': { code: 'EXTERNAL_ID_CONFLICT', message: 'is taken by another link' },
  'quota-exceeded': {
    code: 'QUOTA_EXCEEDED',
    message: "The organization has reached its plan's bundle of active links",
  },
  'domain-invalid': {
    code: 'DOMAIN_INVALID',
    message: 'must be the id of an active domain of this organization',
  },
  'not-found': { code: 'NOT_FOUND', message: '' },
} as const;

export type Refusal = keyof typeof refusals;

/** The fields of a request that name the link. */
export type KeyField = 'customSlug' | 'importedCode';

/** Why a link was not written. Results of earlier versions have no quota and no path. */
export type Refused<Reason extends Refusal = Refusal> = Reason extends 'quota-exceeded'
  ? { readonly status: Reason; readonly quota?: Quota | undefined }
  : Reason extends 'slug-conflict'
    ? { readonly status: Reason; readonly path?: string | undefined }
    : { readonly status: Reason };

/** What an error message repeats of a request and its outcome. */
export interface RefusedFields {
  /** The id, slug or short URL that was asked for. */
  readonly id?: number | string | undefined;
  readonly quota?: Quota | undefined;
  readonly customSlug?: string | null | undefined;
  readonly importedCode?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  /** The path of the name that is taken. */
  readonly path?: string | undefined;
  readonly domainId?: string | null | undefined;
}

export function refusalError(reason: Refusal, body: RefusedFields = {}, replayed = false) {
  const { code, message } = refusals[reason];
  if (reason === 'quota-exceeded') return quotaError(describeUse(body), moreLinks, replayed);
  const path = pathOf(reason, body);
  const details = path === undefined ? [] : [{ path, message }];
  return new ApiError(code, refusalMessage(reason, body), { details, replayed });
}

/** What is wrong with an item of a bulk request. */
export interface ItemError {
  readonly message: string;
  /** The paths are those of the item. */
  readonly details: readonly ErrorDetail[];
}

/** Returns the error of an item with invalid fields. Pass `count` when `details` omits some. */
export function invalidItem(details: readonly ErrorDetail[], count = details.length): ItemError {
  return { message: summarize(details, { subject: 'The item', count }), details };
}

export function bulkCreateError(reason: Exclude<Refusal, 'not-found'>, item: RefusedFields) {
  const { code, message, details } = refusalError(reason, item);
  // The specification names the codes of items.
  const known = code === 'EXTERNAL_ID_CONFLICT' ? 'CREATE_FAILED' : refusals[reason].code;
  return { code: known as Exclude<typeof known, 'EXTERNAL_ID_CONFLICT'>, message, details };
}

export function bulkUpdateError(reason: Refusal, item: RefusedFields) {
  const { message, details } = refusalError(reason, item);
  const code = reason === 'not-found' ? 'NOT_FOUND' : 'UPDATE_FAILED';
  return { code, message, details } as const;
}

export function slugReservedError(path: KeyField, body: RefusedFields): ApiError {
  return new ApiError('SLUG_RESERVED', reservedMessage(path, body), {
    details: [{ path, message: reservedRules[path] }],
  });
}

function reservedMessage(path: KeyField, body: RefusedFields): string {
  return `${path} "${body[path]}" ${reservedRules[path]}; choose another`;
}

const reservedRules = {
  customSlug: 'is a reserved word',
  importedCode: 'begins with a reserved word',
} as const;

const moreLinks = 'Pause or delete links, or change the plan';

function describeUse({ quota }: RefusedFields): string {
  return quota ? describeQuota(quota, 'active links') : refusals['quota-exceeded'].message;
}

/** Returns the path of the field that was refused; undefined if no field of the request was. */
function pathOf(reason: Refusal, { path, customSlug }: RefusedFields): string | undefined {
  if (reason === 'external-id-conflict') return 'externalId';
  if (reason === 'domain-invalid') return 'domainId';
  // A link that moves to another domain has a slug, but the request does not.
  return reason === 'slug-conflict' ? (path ?? (customSlug ? 'customSlug' : undefined)) : undefined;
}

function refusalMessage(reason: Refusal, fields: RefusedFields): string {
  const { message } = refusals[reason];
  if (reason === 'not-found') return notFoundMessage('URL', fields.id ?? '');
  const path = pathOf(reason, fields);
  if (path === undefined) return `The slug or code of this link ${message}`;
  const { customSlug, importedCode, externalId, domainId } = fields;
  const values: Readonly<Record<string, string | null | undefined>> = {
    customSlug,
    importedCode,
    externalId,
    domainId,
  };
  const value = values[path];
  const next = reason === 'slug-conflict' ? '; choose another' : '';
  return `${path}${value == null ? '' : ` "${shorten(value)}"`} ${message}${next}`;
}
