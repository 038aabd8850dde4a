import { Document, isCollection, isMap, isPair, isScalar, visit } from 'yaml';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { type Route, type RouteResponse, scopes, scopesOf } from '../contract/define-route.js';
import { type ErrorCode, errorResponse, errorStatus } from '../contract/errors.js';
import { rateLimitFields } from '../contract/rate-limit.js';
import { urlBulkUpdateItem } from '../urls/url-contract.js';
import { eventBodies } from '../webhooks/event-contract.js';
import { api } from './api.js';
import { errorsOf } from './route-errors.js';

const version = '1.0.0';

const tags = {
  Authentication: 'Access tokens.',
  URLs: 'Short links, one or a hundred at a time.',
  'QR codes': 'Codes that scan, for links and for any text.',
  Analytics: 'Who clicked, from where and when.',
  Webhooks: 'Events, signed and delivered at least once.',
  Usage: 'What the organization uses of its plan.',
  Operations: 'Health and this description.',
  Redirects: 'The short links themselves.',
  'QR images': 'The images of QR codes and their preview pages.',
};

const integers = { type: 'integer' as const, minimum: 0 };
const text = { type: 'string' as const };

/** Headers of several responses. Each response refers to them by name. */
const sharedHeaders = {
  'X-Request-Id': {
    description: 'Names this request in logs; the value that the caller sent, when it was sane.',
    required: true,
    schema: text,
  },
  ...Object.fromEntries(
    Object.entries(rateLimitFields).map(([name, { description }]) => [
      name,
      { description, schema: name === 'RateLimit-Policy' ? text : integers },
    ]),
  ),
  'Retry-After': { description: 'Seconds after which to ask again.', schema: integers },
};

function referToHeaders(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const requestId = referToHeaders(['X-Request-Id']);
const rateLimits = referToHeaders(Object.keys(rateLimitFields));
const retryAfter = referToHeaders(['Retry-After']);

/** The contract as OpenAPI 3.1, in YAML. `openapi.yaml` at the root is exactly this text. */
export function renderOpenApi(): string {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of api as readonly Route[]) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  }
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Shorty',
      version,
      description:
        'Short links that you can trust. Successful JSON answers `{ "success": true, "data": … }`, failed ones `{ "success": false, "error": … }`. ' +
        'Ids of URLs are integers inside and decimal strings in responses; requests take both.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that serves this file' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooksOf(),
    components: {
      // Bulk bodies refer to their items by name, see bulkItems.
      schemas: { UrlBulkUpdateItem: urlBulkUpdateItem },
      headers: sharedHeaders,
      responses: sharedResponses(),
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token from POST /api/v1/auth/token.',
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
  });
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
      // In YAML the text is a little shorter, for want of quotes.
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
    description: 'Of the delivery, the same at every attempt.',
    format: 'uuid',
  }),
  'X-Service-Timestamp': z
    .string()
    .meta({ param: { id: 'ServiceTimestamp' }, description: 'Unix seconds at signing time.' }),
  'X-Service-Signature': z.string().meta({
    param: { id: 'ServiceSignature' },
    description:
      'sha256= and the hex HMAC-SHA256 of `<timestamp>.<body>`; two of them, comma-separated, for 24 hours after a rotation.',
  }),
});

/** What receivers are sent. */
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
            default: { description: 'Not delivered: tried again by the schedule' },
          },
        },
      },
    ]),
  );
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const isOpen = route.tag === 'Operations';
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...describe(route),
    tags: [route.tag],
    security: securityOf(route),
    requestParams: {
      ...(route.params && { path: route.params }),
      ...(route.query && { query: route.query }),
      ...(route.idempotent && { header: idempotencyHeader }),
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
    responses: { ...successesOf(route), ...(isOpen && httpFailures), ...failuresOf(route) },
  };
}

const forOperators =
  'Served without a token, for monitoring and the TLS proxy. Where `SHORTY_ADMIN_LISTEN` is set, ' +
  'only that listener serves it.';

function describe({ description, audience }: Route): { description?: string } {
  const parts = [description, audience === 'operator' ? forOperators : undefined];
  const text = parts.filter((part) => part !== undefined).join(' ');
  return text === '' ? {} : { description: text };
}

// Routes that read no input can still be sent what is no HTTP, too slowly or with too many headers.
const refusedByHttp = {
  400: { name: 'InvalidHttp', description: 'The request is no valid HTTP' },
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
        'Repeating the request with the same key and body within 24 hours answers the first response again.',
      example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    }),
});

function securityOf(route: Route): Record<string, string[]>[] {
  if (route.access === 'public') return [];
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
          ...(route.access !== 'public' && rateLimits),
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
    const envelope = z.object({ success: z.literal(true), data: response.data });
    return { content: { 'application/json': { schema: either(envelope, response.formBody) } } };
  }
  if ('body' in response) return { content: { 'application/json': { schema: response.body } } };
  if ('mediaType' in response) {
    const types = [response.mediaType].flat();
    return { content: Object.fromEntries(types.map((type) => [type, { schema: text }])) };
  }
  return {};
}

/** A body that depends on whether a form was sent, where it does. */
function either(body: z.ZodType, formBody: z.ZodType | undefined): z.ZodType {
  return formBody ? z.union([body, formBody]) : body;
}

/** An error response that several operations share: its name among the components, and what it is. */
interface Failure {
  readonly name: string;
  readonly status: string;
  readonly response: ZodOpenApiResponseObject;
}

/** Returns every error response of a route: one for each status, with all codes of that status. */
function findFailures(route: Route): Failure[] {
  const codesByStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const status = errorStatus[code];
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  return [...codesByStatus].map(([status, codes]) => ({
    // The name follows from everything in which two responses of one status can differ.
    name: `${codes.map(toPascalCase).join('Or')}${route.isForVisitors ? 'Page' : ''}${route.formError ? 'Form' : ''}`,
    status: String(status),
    response: {
      description: codes.join(', '),
      headers: {
        ...requestId,
        ...(codes.includes('RATE_LIMITED') && { ...rateLimits, ...retryAfter }),
      },
      content: {
        'application/json': {
          schema: either(errorResponse, route.formError),
          example: exampleOf(codes[0] as ErrorCode),
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
  INSUFFICIENT_SCOPE: 'This needs the scope urls:write',
  NOT_FOUND: 'There is no such URL in this organization',
  SLUG_CONFLICT: 'The slug spring-sale is taken on this domain',
};

function exampleOf(code: ErrorCode) {
  return {
    success: false,
    error: {
      code,
      message: exampleMessages[code] ?? 'What went wrong, in words',
      ...(code === 'VALIDATION_FAILED' && {
        details: [{ path: 'targetUrl', message: 'must start with http:// or https://' }],
      }),
      requestId: '8c5f1d0e-5d0c-4a53-9c53-0f3f4d1c9a11',
    },
  };
}

function describeScope(scope: string): string {
  const [resource, right] = scope.split(':');
  return `${right === 'read' ? 'Read' : 'Change'} ${resource}`;
}
