import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidField, validationError } from '../contract/api-error.js';
import type { Caller } from '../contract/caller.js';
import { isWrite, type Route } from '../contract/define-route.js';
import { parseInput } from '../contract/parse-input.js';
import type { FairQueue } from '../fair-queue.js';
import type { IdempotentRequest } from '../idempotency/with-idempotency-key.js';
import { operatorOwner } from '../storage/database.js';
import { type BodyFormat, bodyFormatOf, parseForm } from './body-format.js';
import { parseJson } from './parse-json.js';
import { maxBodyBytes, maxPublicBodyBytes, mayBeLarge, readBody, readWithin } from './read-body.js';

export type BodyKind = 'none' | BodyFormat;

/** Returns the format of a request's body; throws UNSUPPORTED_MEDIA_TYPE if the route cannot read it. */
export function bodyKindOf(route: Route, headers: IncomingMessage['headers']): BodyKind {
  if (!route.body) return 'none';
  const isEmpty =
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (!isEmpty) return bodyFormatOf(headers, route.form ? ['json', 'form'] : ['json']);
  // A client that sends an empty form expects the error response of forms.
  const isForm = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;
  return route.form && isForm.test(headers['content-type'] ?? '') ? 'form' : 'none';
}

export interface Body {
  readonly value: unknown;
  /** Hash of method, path with query, and body; undefined without an Idempotency-Key. */
  readonly fingerprint: string | undefined;
}

export interface BodyLimits {
  /** Limits how many large bodies are in memory at once. Those that wait are unread, in their sockets. */
  readonly largeBodies: FairQueue;
  /** The time for each body, from the moment when the server begins to read it. */
  readonly maxMs: number;
}

/**
 * Reads and parses the body of a request. `organizationId` is undefined for a public route, which has smaller
 * limits.
 */
export function readInput(
  kind: BodyKind,
  response: ServerResponse,
  organizationId: string | undefined,
  bodies: BodyLimits,
): Promise<Body> {
  const { req: request } = response;
  const isPublic = organizationId === undefined;
  const maxBytes = isPublic ? maxPublicBodyBytes : maxBodyBytes;
  const readBytes = () => readWithin(bodies.maxMs, response, () => readBody(response, maxBytes));
  const read = async () => {
    const bytes = kind === 'none' ? Buffer.alloc(0) : await readBytes();
    if (kind === 'form') return { value: parseForm(bytes), fingerprint: undefined };
    const hasKey = request.headers['idempotency-key'] !== undefined;
    return {
      fingerprint: hasKey ? fingerprintOf(request, bytes) : undefined,
      value: bytes.length === 0 ? undefined : parseJson(bytes),
    };
  };
  return isPublic || kind === 'none' || !mayBeLarge(request)
    ? read()
    : bodies.largeBodies.run(organizationId, read);
}

function fingerprintOf({ method = '', url = '' }: IncomingMessage, bytes: Buffer): string {
  const target = `${method.toLowerCase()} ${url}\n`;
  return createHash('sha256').update(target).update(bytes).digest('base64url');
}

/** Validates one part of a request by its schema; throws VALIDATION_FAILED. */
export function check(schema: Route['body'], input: unknown): unknown {
  if (!schema) return undefined;
  const parsed = parseInput(schema, input);
  if (!parsed.ok) throw validationError(parsed.details, parsed.count);
  return parsed.value;
}

/** Throws VALIDATION_FAILED for U+0000, which no field may contain and PostgreSQL cannot compare. */
export function checkQuery<Query extends object>(query: Query): Query {
  const details = Object.entries(query)
    .filter(([, value]) => String(value).includes('\0'))
    .map(([path]) => ({ path, message: 'must not contain the character U+0000' }));
  if (details.length > 0) throw validationError(details);
  return query;
}

const idempotencyKey = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the `Idempotency-Key` of a request with the fingerprint that detects the reuse of a key for a
 * different request. Without a caller, the key belongs to the operator.
 */
export function readIdempotency(
  route: Route,
  request: IncomingMessage,
  body: Body,
  caller: Caller | undefined,
  now: number,
): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (!isWrite(route) || key === undefined) return undefined;
  if (typeof key !== 'string' || !idempotencyKey.test(key)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  }
  const owner = caller?.organizationId ?? operatorOwner;
  // A restricted key gets no result of other callers.
  const ownKey = caller?.restriction ? `${caller.apiKey?.id}:${key}` : key;
  return { organizationId: owner, key: ownKey, fingerprint: body.fingerprint as string, now };
}
