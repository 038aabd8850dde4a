import type { z } from 'zod';
import type { ErrorCode } from './errors.js';
import type { Tag } from './tags.js';

export const scopes = [
  'urls:read',
  'urls:write',
  'urls:erase',
  'qr:read',
  'qr:write',
  'webhooks:read',
  'webhooks:write',
  'domains:read',
  'domains:write',
  'analytics:read',
  'usage:read',
  'keys:write',
  'people:read',
  'people:write',
] as const;

/** The scopes that an API key can have. A key can neither create keys nor people. */
export const keyScopes = scopes.filter(
  (scope) => scope !== 'keys:write' && scope !== 'people:write',
);

/** The scopes that clients and API keys have by default. Nothing restores what is erased. */
export const defaultScopes = keyScopes.filter((scope) => scope !== 'urls:erase');

/** The scopes that a restricted API key can have: those of links and what belongs to links. */
export const restrictedScopes: readonly KeyScope[] = keyScopes.filter((scope) =>
  /^(urls|qr|analytics):/.test(scope),
);

/** The scopes of the first client of an organization, which creates its API keys. */
export const firstClientScopes = scopes.filter((scope) => scope !== 'urls:erase');

export type KeyScope = (typeof keyScopes)[number];

export type Scope = (typeof scopes)[number];

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The access that a route requires: a token, an API key or a session with a scope (or another one), any of
 * these, the session of a person, the operator key, or none. Routes for the operator key exist only if
 * SHORTY_OPERATOR_KEY is set.
 */
export type Access = { scope: Scope; or?: Scope } | 'token' | 'session' | 'operator' | 'public';

export const forOperator = {
  tag: 'Administration',
  access: 'operator',
  audience: 'operator',
} as const satisfies Partial<Route>;

/**
 * The response of one status: data in the success envelope, a bare JSON body, or another media type.
 * The response to a form can have a bare body instead of the envelope, if a standard requires it.
 */
export type RouteResponse = { description: string } & (
  | { data: z.ZodType; formBody?: z.ZodType }
  | { body: z.ZodType }
  | { mediaType: string | readonly string[] }
  | { headers: Readonly<Record<string, string>> }
);

/**
 * One row of the API. Routes, validation, scope checks, reserved words, `openapi.yaml` and the
 * SDK's types all derive from these fields and from nothing else.
 */
export interface Route {
  readonly operationId: string;
  readonly method: Method;
  /** In OpenAPI's form: `/api/v1/urls/{id}`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly bodyOptional?: boolean;
  /** The same request as `application/x-www-form-urlencoded`, if a standard requires it. */
  readonly form?: z.ZodType;
  /** The error response to a form, if its standard defines one. */
  readonly formError?: z.ZodType;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Codes beyond those that follow from access and input. */
  readonly errors?: readonly ErrorCode[];
  /**
   * True when the record has versions: successful responses have its ETag, and PATCH and DELETE take
   * `If-Match`.
   */
  readonly hasVersions?: boolean;
  /** True for a POST that changes nothing: it has a body, because its input is too long for a query. */
  readonly isReadOnly?: boolean;
  /**
   * True for routes that handle a restricted API key: they pass the caller's restriction to storage, or
   * need none. Others refuse it.
   */
  readonly takesRestrictedKeys?: boolean;
  /**
   * True for routes that visitors open: links, images and pages. They are handled before Express and
   * show errors as a page.
   */
  readonly isForVisitors?: boolean;
  /**
   * 'operator' for the routes that monitoring and the TLS proxy call without a token, and for those of the
   * operator key. SHORTY_ADMIN_LISTEN moves them to a separate listener; the public one then answers with
   * 404.
   */
  readonly audience?: 'operator';
}

/**
 * Returns whether a route changes records. A repeated request with the same `Idempotency-Key` then gets
 * the first response.
 */
export function isWrite({ method, access, isReadOnly }: Route): boolean {
  return method !== 'get' && access !== 'public' && access !== 'session' && !isReadOnly;
}

/** Returns whether a route accepts a token or an API key of an organization. */
export function isForOrganizations({ access }: Route): boolean {
  return access === 'token' || typeof access === 'object';
}

/** Returns the scopes of which a token needs one; undefined when it needs none. */
export function scopesOf({ access }: Route): readonly Scope[] | undefined {
  if (typeof access === 'string') return undefined;
  return access.or === undefined ? [access.scope] : [access.scope, access.or];
}

/**
 * Defines a route, such as `defineRoute('getUrl', 'GET /api/v1/urls/{id}', …)`. Preserves the literal
 * types of the fields from which handlers are typed.
 */
export function defineRoute<
  const Id extends string,
  const Fields extends Omit<Route, 'operationId' | 'method' | 'path'>,
>(operationId: Id, endpoint: `${Uppercase<Method>} /${string}`, fields: Fields) {
  const [method = '', path = ''] = endpoint.split(' ');
  return { operationId, method: method.toLowerCase() as Method, path, ...fields };
}
