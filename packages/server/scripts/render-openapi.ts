import { Document, isCollection, isMap, isPair, isScalar, isSeq, visit } from 'yaml';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { api } from '../src/api/api.js';
import {
  isForOrganizations,
  isWrite,
  type Route,
  type RouteResponse,
  scopes,
  scopesOf,
} from '../src/contract/define-route.js';
import { type ErrorCode, errorCodes, errorResponse, errorStatus } from '../src/contract/errors.js';
import { rateLimitFields } from '../src/contract/rate-limit.js';
import { tags } from '../src/contract/tags.js';
import { takesIfMatch } from '../src/preconditions/if-match.js';
import { urlBulkUpdateItem } from '../src/urls/url-bulk-contract.js';
import { version } from '../src/version.js';
import { eventBodies } from '../src/webhooks/event-contract.js';
import { shareFields, shareRowFields } from './share-fields.js';
import { instant, tidy } from './tidy.js';

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** Headers of several responses. Each response refers to them by name. */
const sharedHeaders = {
  'X-Request-Id': {
    description:
      'The id of this request in the logs: the value that the client sent, or a new one if it is invalid.',
    required: true,
    schema: text,
  },
  ...Object.fromEntries(
    Object.entries(rateLimitFields).map(([name, description]) => [
      name,
      { description, schema: name === 'RateLimit-Policy' ? text : count },
    ]),
  ),
  ETag: {
    description:
      'Identifies this version of the record, for `If-Match`. It changes with each change by a client or the server, and not with counters.',
    required: true,
    schema: { ...text, example: '"l4s0a2v3"' },
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: count },
};

function referToHeaders(...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const requestId = referToHeaders('X-Request-Id');
const rateLimits = referToHeaders(...Object.keys(rateLimitFields));
const retryAfter = referToHeaders('Retry-After');

/** Returns the contract as OpenAPI 3.1 in YAML. `npm run generate` writes it to `openapi.yaml`. */
export function renderOpenApi(): string {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of api as readonly Route[]) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  }
  const contract: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Shorty',
      version,
      description:
        'URL shortener with QR codes, analytics and webhooks. A successful JSON response is `{ "success": true, "data": … }`, an error response is `{ "success": false, "error": … }`. ' +
        'Responses have the id of a URL as a decimal string; requests accept an integer or a decimal string.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that serves this file' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooks(),
    components: {
      // Bulk bodies refer to this schema by name, see bulkItems.
      schemas: { UrlBulkUpdateItem: urlBulkUpdateItem },
      headers: sharedHeaders,
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token from POST /api/v1/auth/token, or an API key. A browser can send the cookie of a session instead.',
        },
        operatorKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The operator key of the server: SHORTY_OPERATOR_KEY.',
        },
        clientCredentials: {
          type: 'oauth2',
          description: 'The same tokens, for OAuth libraries.',
          flows: {
            clientCredentials: {
              tokenUrl: '/api/v1/auth/token',
              scopes: Object.fromEntries(scopes.map((scope) => [scope, describeScope(scope)])),
            },
          },
        },
      },
    },
  };
  const document = createDocument(contract, { override });
  const schemas = document.components?.schemas ?? {};
  for (const [name, schema] of Object.entries(schemas)) {
    // The library adds unused ones for the output of schemas of requests.
    if (Object.keys(schema).length === 0) delete schemas[name];
  }
  tidy(document);
  shareFields(schemas);
  shareRowFields(schemas);
  schemas.Instant = instant;
  return `# Generated from packages/server/src/contract by \`npm run generate\`. Do not edit.\n${toYaml(document)}`;
}

const override: ZodOpenApiOverride = ({ jsonSchema: schema, io }) => {
  // A newer server may add fields.
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  // The limits of exact numbers help no client that reads one. Requests state them in `override`.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // The format says the same, and a number has no pattern.
  if (schema.format === 'uuid' || schema.type !== 'string') delete schema.pattern;
};

const lineWidth = 100;

/** Writes a document as YAML. References and small collections of plain values take one line each. */
function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Collection(_, node, path) {
      const isPlain = node.items.every((item) => isScalar(isPair(item) ? item.value : item));
      const parent = path.at(-1);
      const key = isPair(parent) ? String(parent.key).length : 0;
      const indent = 2 * path.filter(isCollection).length;
      // YAML is slightly shorter than JSON, because it needs fewer quotes.
      node.flow = isPlain && indent + key + JSON.stringify(node).length <= lineWidth;
      if (isReference(node)) node.flow = true;
      if (isSeq(node) && node.items.length === 1 && isReference(node.items[0])) node.flow = true;
    },
  });
  return document.toString({ lineWidth });
}

function isReference(node: unknown): boolean {
  return isMap(node) && node.items.length === 1 && node.has('$ref');
}

/** Returns a header of several requests, which refer to it by the id. */
function header(id: string, description: string, schema: z.ZodType = z.string(), meta = {}) {
  return schema.meta({ param: { id, description }, ...meta });
}

const deliveryHeaders = z.object({
  'X-Service-Event': header('ServiceEvent', 'The event type.'),
  'X-Service-Delivery-Id': header(
    'ServiceDeliveryId',
    'The id of the delivery. It is the same in every attempt.',
    z.string(),
    { format: 'uuid' },
  ),
  'X-Service-Timestamp': header('ServiceTimestamp', 'The time of signing, in Unix seconds.'),
  'X-Service-Signature': header(
    'ServiceSignature',
    '`sha256=` and the hex HMAC-SHA256 of `<timestamp>.<body>`. During a rotation of the secret, it is by the oldest live secret.',
  ),
  'X-Service-Signature-Next': header(
    'ServiceSignatureNext',
    'During a rotation of the secret: the signature by the newest secret. Otherwise absent.',
    z.string().optional(),
  ),
  'webhook-id': header(
    'StandardWebhookId',
    'The same value as X-Service-Delivery-Id, for libraries of Standard Webhooks.',
    z.string(),
    { format: 'uuid' },
  ),
  'webhook-timestamp': header('StandardWebhookTimestamp', 'The same value as X-Service-Timestamp.'),
  'webhook-signature': header(
    'StandardWebhookSignature',
    '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. During a rotation of the secret, the signatures by all its secrets, separated by spaces.',
  ),
});

const idempotencyHeader = z.object({
  'Idempotency-Key': header(
    'IdempotencyKey',
    'A repeated request with the same key, method, path and body within 24 hours gets the first response again.',
    z.string().min(1).max(255).optional(),
    { example: '0f8fad5b-d9cb-469f-a165-70867728950e' },
  ),
});

const ifMatchHeader = z.object({
  'If-Match': header(
    'IfMatch',
    'Changes the record only if it still has this ETag: another change since then is answered with 412. Also a list of ETags, or `*` for any version.',
    z.string().optional(),
    { example: '"l4s0a2v3"' },
  ),
});

/** Describes the requests that receivers of webhooks get. */
function webhooks(): ZodOpenApiPathsObject {
  const responses = {
    '2XX': { description: 'Delivered' },
    default: { description: 'Not delivered: retried by the retry schedule' },
  };
  return Object.fromEntries(
    eventBodies.map(({ type, summary, body }) => {
      const post = {
        operationId: type,
        summary,
        tags: ['Webhooks'],
        security: [],
        requestParams: { header: deliveryHeaders },
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
        responses,
      };
      return [type, { post }];
    }),
  );
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { operationId, summary, tag, params, query, body, form } = route;
  return {
    operationId,
    summary,
    ...describe(route),
    tags: [tag],
    security: securityOf(route),
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(isWrite(route) && {
        header: takesIfMatch(route)
          ? idempotencyHeader.extend(ifMatchHeader.shape)
          : idempotencyHeader,
      }),
    },
    ...(body && {
      requestBody: {
        required: !route.bodyOptional,
        content: {
          'application/json': { schema: body },
          ...(form && { 'application/x-www-form-urlencoded': { schema: form } }),
        },
      },
    }),
    responses: { ...successesOf(route), ...failuresOf(route) },
  };
}

const forMonitoring =
  'Needs no token: monitoring and the TLS proxy call it. If `SHORTY_ADMIN_LISTEN` is set, only that listener serves it.';

function describe({ description, audience, access }: Route): { description?: string } {
  // The tag says the same of those for the operator key.
  const isForMonitoring = audience === 'operator' && access === 'public';
  const parts = [description, isForMonitoring && forMonitoring].filter((part) => part);
  return parts.length === 0 ? {} : { description: parts.join(' ') };
}

function describeScope(scope: string): string {
  const [resource, access] = scope.split(':');
  return `${access === 'read' ? 'Read' : 'Change'} ${resource}`;
}

function securityOf(route: Route): Record<string, string[]>[] {
  if (route.access === 'public') return [];
  if (route.access === 'operator') return [{ operatorKey: [] }];
  const needed = scopesOf(route)?.map((scope) => [scope]) ?? [[]];
  return [{ accessToken: [] }, ...needed.map((scopes) => ({ clientCredentials: scopes }))];
}

function successesOf(route: Route): ZodOpenApiResponsesObject {
  const entries = Object.entries(route.responses).map(([status, response]) => {
    const own = 'headers' in response ? response.headers : {};
    const headers = {
      ...requestId,
      ...((isForOrganizations(route) || route.access === 'session') && rateLimits),
      ...(route.hasVersions && referToHeaders('ETag')),
      ...Object.fromEntries(
        Object.entries(own).map(([name, description]) => [
          name,
          { description, required: true, schema: text },
        ]),
      ),
    };
    return [status, { description: response.description, headers, ...contentOf(response) }];
  });
  return Object.fromEntries(entries);
}

function contentOf(response: RouteResponse) {
  if ('data' in response) {
    const schema = either(envelopeOf(response.data), response.formBody);
    return { content: { 'application/json': { schema } } };
  }
  if ('body' in response) return { content: { 'application/json': { schema: response.body } } };
  if ('mediaType' in response) {
    const types = [response.mediaType].flat();
    return { content: Object.fromEntries(types.map((type) => [type, { schema: text }])) };
  }
  return {};
}

const success = z
  .literal(true)
  .meta({ id: 'Success', description: 'True for a result, false for an error.' });

/** The schemas and error responses that several operations share, by name. */
const shared = new Map<string, unknown>();

function share<T>(id: string, create: () => T): T {
  const known = shared.get(id) ?? create();
  shared.set(id, known);
  return known as T;
}

/** Returns the schema of a successful response: `UrlRecordResponse` for a `UrlRecord`. */
function envelopeOf(data: z.ZodType): z.ZodType {
  const name = data.meta()?.id ?? nameOfPage(data);
  const schema = data.meta()?.id === undefined ? share(name, () => data.meta({ id: name })) : data;
  const id = `${name}Response`;
  return share(id, () => z.object({ success, data: schema }).meta({ id }));
}

/** Names a page after its items. */
function nameOfPage(page: z.ZodType): string {
  const { items } = (page as z.ZodObject<{ items: z.ZodArray<z.ZodType> }>).shape;
  const name = items.element.meta()?.id;
  if (name === undefined) throw new Error('the items of a page need a name: add .meta({ id })');
  return `${name.replace(/(Record|Details|Entry)$/, '')}Page`;
}

/** Returns the schema of a response that differs for forms, or `body` when it does not. */
function either(body: z.ZodType, formBody: z.ZodType | undefined): z.ZodType {
  return formBody ? z.union([body, formBody]) : body;
}

/** Returns every error code of a route: its own, and those that follow from its access and input. */
export function errorsOf(route: Route): ErrorCode[] {
  const hasBody = route.body !== undefined;
  const takesInput = hasBody || route.query !== undefined || route.params !== undefined;
  const codes = new Set<ErrorCode>(route.errors);
  if (route.params) codes.add('NOT_FOUND');
  if (takesInput && !(route.isForVisitors && !hasBody)) codes.add('VALIDATION_FAILED');
  if (route.access !== 'public') codes.add('UNAUTHORIZED').add('RATE_LIMITED');
  // Without an operator key, its routes do not exist.
  if (route.access === 'operator') codes.add('NOT_FOUND');
  if (isForOrganizations(route) || route.access === 'session') {
    codes.add('ORGANIZATION_SUSPENDED');
    // For the cookie of a session, which another site can make a browser send.
    if (route.method !== 'get') codes.add('CROSS_ORIGIN');
  }
  const refusesKeys = isForOrganizations(route) && !route.takesRestrictedKeys;
  if (scopesOf(route) || refusesKeys || route.access === 'session') {
    codes.add('INSUFFICIENT_SCOPE');
  }
  if (hasBody) codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (takesIfMatch(route)) codes.add('PRECONDITION_FAILED');
  if (isWrite(route)) codes.add('IDEMPOTENCY_CONFLICT');
  if (route.tag !== 'Operations') codes.add('INTERNAL').add('UNAVAILABLE');
  return errorCodes.filter((code) => codes.has(code));
}

// Node refuses these requests before a route is chosen.
const refusedByHttp = {
  400: ['InvalidHttp', 'The request is not valid HTTP'],
  408: ['RequestTimeout', 'The request did not arrive in time'],
  431: ['HeadersTooLarge', 'The headers are too large'],
} as const;

/** Returns the error responses of a route: one for each status, with all error codes of it. */
function failuresOf(route: Route): ZodOpenApiResponsesObject {
  const content = { 'application/json': { schema: errorResponse } };
  const isOperations = route.tag === 'Operations';
  const fromHttp = Object.entries(isOperations ? refusedByHttp : {}).map(
    ([status, [id, description]]) => [
      status,
      share(id, () => ({ id, description, headers: requestId, content })),
    ],
  );
  const { isForVisitors, formError } = route;
  const statuses = [...new Set(errorsOf(route).map((code) => errorStatus[code]))];
  const fromRoute = statuses.map((status) => {
    const codes = errorsOf(route).filter((code) => errorStatus[code] === status);
    // The name contains everything that distinguishes two responses with the same status.
    const id = `${codes.map(toPascalCase).join('Or')}${isForVisitors ? 'Page' : ''}${formError ? 'Form' : ''}`;
    const response = {
      id,
      description: codes.join(', '),
      headers: {
        ...requestId,
        ...(codes.includes('RATE_LIMITED') && { ...rateLimits, ...retryAfter }),
        ...(codes.includes('UNAVAILABLE') && retryAfter),
      },
      content: {
        'application/json': { schema: either(errorResponse, formError) },
        ...(isForVisitors && { 'text/html': { schema: text } }),
      },
    };
    return [status, share(id, () => response)];
  });
  return Object.fromEntries([...fromHttp, ...fromRoute]);
}

/** `NOT_FOUND` becomes `NotFound`. */
function toPascalCase(code: ErrorCode): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
}
