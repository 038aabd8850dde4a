import { Document, isCollection, isMap, isPair, isScalar, visit } from 'yaml';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
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
import { type ErrorCode, errorCodes, errorStatus } from '../src/contract/error-codes.js';
import { errorResponse } from '../src/contract/errors.js';
import { rateLimitFields } from '../src/contract/rate-limit.js';
import { takesIfMatch } from '../src/preconditions/if-match.js';
import { urlBulkUpdateItem } from '../src/urls/url-bulk-contract.js';
import { version } from '../src/version.js';
import { eventBodies } from '../src/webhooks/event-contract.js';
import { describeFields } from './describe-fields.js';
import { shareFields } from './share-fields.js';
import { shareResponses } from './share-responses.js';
import { simplifySchemas } from './simplify-schemas.js';

const tags = {
  Authentication: 'Access tokens, API keys, and the caller.',
  URLs: 'Create, read, change and delete short links, one at a time or in bulk.',
  'QR codes': 'QR codes for links and for any text.',
  Analytics: 'Clicks and scans: who, from where and when.',
  Webhooks: 'Events, signed and delivered at least once.',
  'Audit log': 'Who changed which record, and from which address.',
  Administration:
    'Organizations, clients and links of all tenants, for the operator of the server. Exists only if `SHORTY_OPERATOR_KEY` is set.',
  Usage: 'The usage of the organization and the limits of its plan.',
  Operations: 'Health checks, metrics and this document.',
  Redirects: 'The short links themselves.',
  'QR images': 'Public images and preview pages of QR codes.',
};

const count = { type: 'integer' as const, minimum: 0 };
const text = { type: 'string' as const };

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

function referToHeaders(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const requestId = referToHeaders(['X-Request-Id']);
const rateLimits = referToHeaders(Object.keys(rateLimitFields));
const retryAfter = referToHeaders(['Retry-After']);

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
    webhooks: webhooksOf(),
    components: {
      // Bulk bodies refer to this schema by name, see bulkItems.
      schemas: { UrlBulkUpdateItem: urlBulkUpdateItem },
      headers: sharedHeaders,
      responses: sharedResponses(),
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token from POST /api/v1/auth/token, or an API key.',
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
  const document = createDocument(contract);
  const schemas = document.components?.schemas ?? {};
  for (const [name, schema] of Object.entries(schemas)) {
    // The library adds one for the output of a transformed schema of a request. Nothing refers to it.
    if (Object.keys(schema).length === 0) delete schemas[name];
  }
  describeFields(document);
  simplifySchemas(document);
  shareFields(schemas);
  shareResponses(document);
  return `# Generated from packages/server/src/contract by \`npm run generate\`. Do not edit.\n${toYaml(document)}`;
}

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
      if (isMap(node) && node.items.length === 1 && node.has('$ref')) node.flow = true;
    },
  });
  return document.toString({ lineWidth });
}

const deliveryHeaders = z.object({
  'X-Service-Event': z
    .string()
    .meta({ param: { id: 'ServiceEvent' }, description: 'The event type.' }),
  'X-Service-Delivery-Id': z.string().meta({
    param: { id: 'ServiceDeliveryId' },
    description: 'The id of the delivery. It is the same in every attempt.',
    format: 'uuid',
  }),
  'X-Service-Timestamp': z.string().meta({
    param: { id: 'ServiceTimestamp' },
    description: 'The time of signing, in Unix seconds.',
  }),
  'X-Service-Signature': z.string().meta({
    param: { id: 'ServiceSignature' },
    description:
      '`sha256=` and the hex HMAC-SHA256 of `<timestamp>.<body>`. During a rotation of the secret, it is by the oldest live secret.',
  }),
  'X-Service-Signature-Next': z
    .string()
    .optional()
    .meta({
      param: { id: 'ServiceSignatureNext' },
      description:
        'During a rotation of the secret: the signature by the newest secret. Otherwise absent.',
    }),
  'webhook-id': z.string().meta({
    param: { id: 'StandardWebhookId' },
    description: 'The same value as X-Service-Delivery-Id, for libraries of Standard Webhooks.',
    format: 'uuid',
  }),
  'webhook-timestamp': z.string().meta({
    param: { id: 'StandardWebhookTimestamp' },
    description: 'The same value as X-Service-Timestamp.',
  }),
  'webhook-signature': z.string().meta({
    param: { id: 'StandardWebhookSignature' },
    description:
      '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. During a rotation of the secret, the signatures by all its secrets, separated by spaces.',
  }),
});

/** Describes the requests that receivers of webhooks get. */
function webhooksOf(): ZodOpenApiPathsObject {
  return Object.fromEntries(
    eventBodies.map(({ type, summary, body }) => [
      type,
      {
        post: {
          operationId: type,
          summary,
          tags: ['Webhooks'],
          security: [],
          requestParams: { header: deliveryHeaders },
          requestBody: { required: true, content: { 'application/json': { schema: body } } },
          responses: {
            '2XX': { description: 'Delivered' },
            default: { description: 'Not delivered: retried by the retry schedule' },
          },
        },
      },
    ]),
  );
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const isOperations = route.tag === 'Operations';
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...describe(route),
    tags: [route.tag],
    security: securityOf(route),
    requestParams: {
      ...(route.params && { path: route.params }),
      ...(route.query && { query: route.query }),
      ...(isWrite(route) && {
        header: takesIfMatch(route)
          ? idempotencyHeader.extend(ifMatchHeader.shape)
          : idempotencyHeader,
      }),
    },
    ...(route.body && {
      requestBody: {
        required: !route.bodyOptional,
        content: {
          'application/json': { schema: route.body },
          ...(route.form && { 'application/x-www-form-urlencoded': { schema: route.form } }),
        },
      },
    }),
    responses: { ...successesOf(route), ...(isOperations && httpFailures), ...failuresOf(route) },
  };
}

const forMonitoring = 'Needs no token: monitoring and the TLS proxy call it.';
const onAdminListener = 'If `SHORTY_ADMIN_LISTEN` is set, only that listener serves it.';

function describe({ description, audience, access }: Route): { description?: string } {
  const isForOperators = audience === 'operator';
  const parts = [
    description,
    isForOperators && access === 'public' ? forMonitoring : undefined,
    isForOperators ? onAdminListener : undefined,
  ];
  const text = parts.filter((part) => part !== undefined).join(' ');
  return text === '' ? {} : { description: text };
}

// Node refuses these requests before a route is chosen.
const refusedByHttp = {
  400: { name: 'InvalidHttp', description: 'The request is not valid HTTP' },
  408: { name: 'RequestTimeout', description: 'The request did not arrive in time' },
  431: { name: 'HeadersTooLarge', description: 'The headers are too large' },
};

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({
      param: { id: 'IdempotencyKey' },
      description:
        'A repeated request with the same key, method, path and body within 24 hours gets the first response again.',
      example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    }),
});

const ifMatchHeader = z.object({
  'If-Match': z
    .string()
    .optional()
    .meta({
      param: { id: 'IfMatch' },
      description:
        'Changes the record only if it still has this ETag: another change since then is answered with 412. Also a list of ETags, or `*` for any version.',
      example: '"l4s0a2v3"',
    }),
});

function securityOf(route: Route): Record<string, string[]>[] {
  if (route.access === 'public') return [];
  if (route.access === 'operator') return [{ operatorKey: [] }];
  const needed = scopesOf(route)?.map((scope) => [scope]) ?? [[]];
  return [{ accessToken: [] }, ...needed.map((scopes) => ({ clientCredentials: scopes }))];
}

function successesOf(route: Route): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, response]) => [
      status,
      {
        description: response.description,
        headers: {
          ...requestId,
          ...(isForOrganizations(route) && rateLimits),
          ...(route.hasVersions && referToHeaders(['ETag'])),
          ...headersOf(response),
        },
        ...contentOf(response),
      },
    ]),
  );
}

function headersOf(response: RouteResponse) {
  const headers = 'headers' in response ? response.headers : {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, required: true, schema: text },
    ]),
  );
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

/** Envelopes and pages by name. Routes with the same data share one schema. */
const shared = new Map<string, z.ZodType>();

function share(id: string, schema: z.ZodType): z.ZodType {
  const known = shared.get(id) ?? schema.meta({ id });
  shared.set(id, known);
  return known;
}

/** Returns the schema of a successful response: `UrlRecordResponse` for a `UrlRecord`. */
function envelopeOf(data: z.ZodType): z.ZodType {
  const { name, schema } = nameData(data);
  const known = shared.get(`${name}Response`);
  return known ?? share(`${name}Response`, z.object({ success, data: schema }));
}

/** Names the data of a response. A page without a name of its own has the name of its items. */
function nameData(data: z.ZodType): { name: string; schema: z.ZodType } {
  const own = data.meta()?.id;
  if (own !== undefined) return { name: own, schema: data };
  const { items } = (data as z.ZodObject<{ items: z.ZodArray<z.ZodType> }>).shape;
  const name = `${nameOfItem(items.element).replace(/(Record|Details|Entry)$/, '')}Page`;
  return { name, schema: share(name, data) };
}

function nameOfItem(item: z.ZodType): string {
  const name = item.meta()?.id;
  if (name === undefined) throw new Error('the items of a page need a name: add .meta({ id })');
  return name;
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
  if (isForOrganizations(route)) codes.add('ORGANIZATION_SUSPENDED');
  if (typeof route.access === 'object') codes.add('INSUFFICIENT_SCOPE');
  if (hasBody) codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (takesIfMatch(route)) codes.add('PRECONDITION_FAILED');
  if (isWrite(route)) codes.add('IDEMPOTENCY_CONFLICT');
  if (route.tag !== 'Operations') codes.add('INTERNAL').add('UNAVAILABLE');
  return errorCodes.filter((code) => codes.has(code));
}

/** An error response that operations share, and its name among the components. */
interface Failure {
  readonly name: string;
  readonly status: string;
  readonly response: ZodOpenApiResponseObject;
}

/** Returns the error responses of a route: one for each status, with all error codes of it. */
function findFailures(route: Route): Failure[] {
  const codesByStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const status = errorStatus[code];
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  return [...codesByStatus].map(([status, codes]) => ({
    // The name contains everything that distinguishes two responses with the same status.
    name: `${codes.map(toPascalCase).join('Or')}${route.isForVisitors ? 'Page' : ''}${route.formError ? 'Form' : ''}`,
    status: String(status),
    response: {
      description: codes.join(', '),
      headers: {
        ...requestId,
        ...(codes.includes('RATE_LIMITED') && { ...rateLimits, ...retryAfter }),
        ...(codes.includes('UNAVAILABLE') && retryAfter),
      },
      content: {
        'application/json': {
          schema: either(errorResponse, route.formError),
          ...exampleOf(codes[0] as ErrorCode),
        },
        ...(route.isForVisitors && { 'text/html': { schema: text } }),
      },
    },
  }));
}

function failuresOf(route: Route): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    findFailures(route).map(({ name, status }) => [status, referToResponse(name)]),
  );
}

const httpFailures: ZodOpenApiResponsesObject = Object.fromEntries(
  Object.entries(refusedByHttp).map(([status, { name }]) => [status, referToResponse(name)]),
);

/** Returns the error responses of all routes by name. */
function sharedResponses(): Record<string, ZodOpenApiResponseObject> {
  const fromHttp = Object.values(refusedByHttp).map(({ name, description }) => [
    name,
    { description, headers: requestId, content: { 'application/json': { schema: errorResponse } } },
  ]);
  const fromRoutes = (api as readonly Route[])
    .flatMap(findFailures)
    .map(({ name, response }) => [name, response]);
  return Object.fromEntries([...fromHttp, ...fromRoutes]);
}

function referToResponse(name: string) {
  return { $ref: `#/components/responses/${name}` };
}

/** `NOT_FOUND` becomes `NotFound`. */
function toPascalCase(code: ErrorCode): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());
}

const exampleMessages: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: 'targetUrl must start with http:// or https://',
  UNAUTHORIZED: 'The access token is missing, unknown or expired',
  INSUFFICIENT_SCOPE: 'The access token needs the scope urls:write',
  NOT_FOUND: 'There is no such URL in this organization',
  SLUG_CONFLICT: 'customSlug "spring-sale" is taken on this domain; choose another',
};

/** Returns an example for a code whose message teaches something. */
function exampleOf(code: ErrorCode): { example?: object } {
  const message = exampleMessages[code];
  if (message === undefined) return {};
  const example = {
    success: false,
    error: {
      code,
      message,
      ...(code === 'VALIDATION_FAILED' && {
        details: [{ path: 'targetUrl', message: 'must start with http:// or https://' }],
      }),
      requestId: '8c5f1d0e-5d0c-4a53-9c53-0f3f4d1c9a11',
    },
  };
  return { example };
}

function describeScope(scope: string): string {
  const [resource, access] = scope.split(':');
  return `${access === 'read' ? 'Read' : 'Change'} ${resource}`;
}
