import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readContract } from '../../../../scripts/read-contract.mjs';
import type { Route } from '../../src/contract/define-route.js';

/** The words of JSON Schema that openapi.yaml uses, and its extension for bytes. */
export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly example?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly maxProperties?: number;
  readonly 'x-maxBytes'?: number;
}

interface Content {
  readonly [mediaType: string]: { readonly schema: Schema };
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface DeclaredResponse {
  readonly headers?: Readonly<Record<string, { required?: boolean; schema: Schema }>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DeclaredResponse>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What callers are told: the committed file, not the code that it is rendered from. */
export const openApi = readContract() as OpenApiDocument;

export const operations: readonly Operation[] = Object.entries(openApi.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
);

/** Returns the query and the body that openapi.yaml defines for a route. */
export function inputOf({ method, path }: Route) {
  const operation = openApi.paths[path]?.[method];
  const body = operation?.requestBody;
  return {
    query: (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query'),
    body: body?.content['application/json']?.schema,
    needsBody: body?.required ?? false,
  };
}

/** Resolves a reference. */
export function dereference(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = openApi.components.schemas[schema.$ref.split('/').at(-1) as string];
  if (!found) throw new Error(`openapi.yaml has no schema ${schema.$ref}`);
  return dereference(found);
}

/** Resolves a reference, or a choice with null, to its schema. */
export function resolve(schema: Schema): Schema {
  const { anyOf, oneOf, type, ...rest } = dereference(schema);
  const choice = (anyOf ?? oneOf)?.find((each) => each.type !== 'null');
  return choice ? { ...resolve(choice), ...rest } : dereference(schema);
}

/** Returns a function that finds the faults of a value by the schema at a place of a document. */
function checkerOf(document: object, options: Options = {}) {
  // Strict would refuse the words that OpenAPI has beside those of JSON Schema.
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...options });
  addFormats.default(ajv);
  ajv.addKeyword({
    keyword: 'x-maxBytes',
    type: 'string',
    validate: (max: number, text: string) => Buffer.byteLength(text) <= max,
  });
  ajv.addSchema(document, 'openapi.yaml');
  return (where: readonly (string | number)[], value: unknown) => {
    const pointer = where.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'));
    const check = ajv.getSchema(`openapi.yaml#/${pointer.map(encodeURIComponent).join('/')}`);
    if (!check) throw new Error(`there is no schema at ${where.join(' ')}`);
    return check(value) ? [] : (check.errors ?? []);
  };
}

type Check = ReturnType<typeof checkerOf>;

const ofBody = checkerOf(closed(openApi) as object);
// A header is a text, whatever it says.
const ofHeader = checkerOf(closed(openApi) as object, { coerceTypes: true });

/** A newer version may send further fields, but no version sends one that it does not describe. */
export function closed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  const parts = Object.entries(value).map(([name, inner]) => [name, closed(inner)]);
  const { type, properties } = value as { type?: unknown; properties?: unknown };
  const isObject = [type].flat().includes('object') && typeof properties === 'object';
  return { ...(isObject && { additionalProperties: false }), ...Object.fromEntries(parts) };
}

/** A request of a test. */
export interface Sent {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ofRequest = checkerOf(openApi);
const ofParameter = checkerOf(openApi, { coerceTypes: true });

/** Whether a request of the API has the types, the limits and the patterns that the description says. */
export function allows({ path, method, parameters, requestBody }: Operation, sent: Sent): boolean {
  // The server reads more forms of instants and addresses than these formats have.
  const isBroken = (check: Check, place: readonly (string | number)[], value: unknown) =>
    check(['paths', path, method, ...place], value).some(({ keyword }) => keyword !== 'format');
  const query = new URL(sent.path, 'http://localhost').searchParams;
  for (const [at, { in: place, name, schema }] of parameters.entries()) {
    const value = query.get(name);
    if (place !== 'query' || resolve(schema).type === 'array' || !value) continue;
    if (isBroken(ofParameter, ['parameters', at, 'schema'], value)) return false;
  }
  const type = sent.headers['content-type'] ?? '';
  if (!sent.body || !requestBody?.content[type] || type !== 'application/json') return true;
  return !isBroken(ofRequest, ['requestBody', 'content', type, 'schema'], JSON.parse(sent.body));
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What the description does not say of an answer; empty when it says all of it. */
export function faultsOf(operation: Operation, { status, headers, text }: Received): string[] {
  const key = [String(status), `${String(status).slice(0, 1)}XX`].find(
    (each) => operation.responses[each],
  );
  if (key === undefined) return [`${status} is not documented`];
  const { headers: declared = {}, content } = operation.responses[key] as DeclaredResponse;
  const where = ['paths', operation.path, operation.method, 'responses', key];
  const headerFaults = Object.entries(declared).flatMap(([name, { required }]) => {
    const value = headers.get(name);
    if (value === null) return required ? [`${name} is missing`] : [];
    return faultsBy(ofHeader, [...where, 'headers', name, 'schema'], value, name);
  });
  return [...headerFaults, ...contentFaults(content, where, headers, text)];
}

function contentFaults(
  content: Content | undefined,
  where: readonly string[],
  headers: Headers,
  text: string,
): string[] {
  if (!content) return text === '' ? [] : ['there is a body, and none is documented'];
  const type = bare(headers.get('content-type') ?? '');
  const declared = Object.keys(content).find((each) => bare(each) === type);
  if (declared === undefined) return [`content type ${type} is not documented`];
  if (type !== 'application/json') return [];
  return faultsBy(ofBody, [...where, 'content', declared, 'schema'], JSON.parse(text), 'body');
}

function faultsBy(check: Check, where: readonly string[], value: unknown, name: string): string[] {
  return check(where, value).map(
    ({ instancePath, message, params }) =>
      `${name}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function bare(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}
