import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { ApiError, validationError } from '../contract/api-error.js';
import type { Route } from '../contract/define-route.js';
import { parseInput } from '../contract/parse-input.js';
import type { IdempotentRequest } from '../idempotency/run-once.js';

/** The largest body that is read: a hundred links whose every field is as long as it may be. */
export const maxBodyBytes = 4 * 1024 * 1024;

const rawBodies = new WeakMap<IncomingMessage, Buffer>();
// The parser takes an empty body for {}, which PATCH would obey.
const empty = new WeakSet<IncomingMessage>();
const keepRaw = (request: IncomingMessage, _response: unknown, raw: Buffer) => {
  if (raw.length === 0) empty.add(request);
  if (request.headers['idempotency-key'] !== undefined) rawBodies.set(request, raw);
};

const readJson = express.json({
  limit: maxBodyBytes,
  strict: false,
  type: () => true,
  verify: keepRaw,
});
const readForm = express.urlencoded({ limit: maxBodyBytes, extended: false, type: () => true });

export type BodyKind = 'none' | 'json' | 'form';

/** What a request carries, by its headers; throws UNSUPPORTED_MEDIA_TYPE for what a route cannot read. */
export function bodyKindOf(route: Route, headers: IncomingMessage['headers']): BodyKind {
  const isEmpty =
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  const mediaType = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const isForm = route.form !== undefined && mediaType === 'application/x-www-form-urlencoded';
  // An empty form is a form all the same: its sender reads only a form's errors.
  if (!route.body || (isEmpty && !isForm)) return 'none';
  if (/^application\/(?:[\w.-]+\+)?json$/.test(mediaType)) return 'json';
  if (isForm) return 'form';
  const expected = route.form
    ? 'application/json or application/x-www-form-urlencoded'
    : 'application/json';
  throw new ApiError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The body must come as ${expected}${mediaType ? `, not ${mediaType.slice(0, 100)}` : ': set Content-Type'}`,
  );
}

/** Reads the body into `request.body`; undefined when there is none. */
export function readBody(kind: BodyKind): RequestHandler {
  const read = kind === 'form' ? readForm : readJson;
  return (request, response, next) => {
    if (kind === 'none') {
      request.body = undefined;
      next();
      return;
    }
    read(request, response, (error?: unknown) => {
      if (empty.has(request)) request.body = undefined;
      next(error && toBodyError(error));
    });
  };
}

interface BodyParserError {
  readonly type: string;
  readonly message: string;
}

function toBodyError(error: unknown): unknown {
  const { type, message } = error as Partial<BodyParserError>;
  switch (type) {
    case 'entity.too.large':
      return new ApiError('PAYLOAD_TOO_LARGE', `The body must be at most ${maxBodyBytes} bytes`);
    case 'entity.parse.failed':
      return validationError([{ path: '', message: `must be valid JSON: ${message}` }]);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new ApiError('UNSUPPORTED_MEDIA_TYPE', `The body cannot be read: ${message}`);
    case 'request.aborted':
    case 'request.size.invalid':
    case 'parameters.too.many':
      return validationError([{ path: '', message: `could not be read: ${message}` }]);
    default:
      // Inflating a body that is not what its Content-Encoding says fails in zlib.
      return isZlibFault(error)
        ? validationError([{ path: '', message: 'is not what its Content-Encoding says' }])
        : error;
  }
}

function isZlibFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR__?BROTLI)/.test(String(error.code));
}

/** Checks one part of a request by the contract; throws VALIDATION_FAILED. */
export function check(schema: Route['body'], input: unknown): unknown {
  if (!schema) return undefined;
  const parsed = parseInput(schema, input);
  if (!parsed.ok) throw validationError(parsed.details);
  return parsed.value;
}

const idempotencyKey = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request, with what tells it from another request with that key. */
export function readIdempotency(
  route: Route,
  request: IncomingMessage,
  organizationId: string,
  now: number,
): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (!route.idempotent || key === undefined) return undefined;
  if (typeof key !== 'string' || !idempotencyKey.test(key)) {
    throw validationError([
      { path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
    ]);
  }
  const fingerprint = createHash('sha256')
    .update(`${route.method} ${pathOf(request)}\n`)
    .update(rawBodies.get(request) ?? '')
    .digest('base64url');
  return { organizationId, key, fingerprint, now };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}
