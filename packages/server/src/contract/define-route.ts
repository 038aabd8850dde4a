import type { z } from 'zod';
import type { ErrorCode } from './errors.js';

export const scopes = [
  'urls:read',
  'urls:write',
  'qr:read',
  'qr:write',
  'webhooks:read',
  'webhooks:write',
  'domains:read',
  'domains:write',
  'analytics:read',
  'usage:read',
] as const;

export type Scope = (typeof scopes)[number];

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** Who may call a route: a token with this scope (or the other one), any valid token, or anybody. */
export type Access = { scope: Scope; or?: Scope } | 'token' | 'public';

/**
 * What a status answers: data in the success envelope (and a bare body to who has sent a form whose
 * standard asks for it), a bare JSON body, or another media type.
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
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** The JSON body. */
  readonly body?: z.ZodType;
  /** True where the body may be left out. */
  readonly bodyOptional?: boolean;
  /** The same request as `application/x-www-form-urlencoded`, where a standard asks for it. */
  readonly form?: z.ZodType;
  /** What a form that fails is answered, where its standard has errors of its own. */
  readonly formError?: z.ZodType;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Codes beyond those that follow from access and input. */
  readonly errors?: readonly ErrorCode[];
  /** True where `Idempotency-Key` makes a repeated request answer the first one's response. */
  readonly idempotent?: boolean;
  /**
   * True for what visitors open: links, pictures and pages. They are answered before the API's
   * router is reached, and tell people of errors by a page.
   */
  readonly isForVisitors?: boolean;
  /**
   * 'operator' for what monitoring and the TLS proxy ask without a token. SHORTY_ADMIN_LISTEN serves
   * these routes on a listener of their own; the public one then answers them 404.
   */
  readonly audience?: 'operator';
}

/** The scopes of which a token needs one; undefined where it needs none. */
export function scopesOf({ access }: Route): readonly Scope[] | undefined {
  if (typeof access === 'string') return undefined;
  return access.or === undefined ? [access.scope] : [access.scope, access.or];
}

/** Keeps the literal types of a row, from which handlers are typed. */
export function defineRoute<const R extends Route>(route: R): R {
  return route;
}
