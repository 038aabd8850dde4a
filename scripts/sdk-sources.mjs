// Writes the sources of the SDK that derive from openapi.yaml.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary, root, run } from './bootstrap.mjs';
import { nameOf, readContract } from './read-contract.mjs';

/** The generated files, below packages/sdk/src/generated. */
export const sdkSources = ['api.ts', 'fixtures.ts', 'required-input.ts', 'routes.ts'];

export function writeSdkSources(folder) {
  const document = readContract();
  run(
    binary('openapi-typescript'),
    [
      'openapi.yaml',
      '--output',
      join(folder, 'api.ts'),
      // A field with a default may be left out of a request.
      '--default-non-nullable=false',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  writeFileSync(join(folder, 'routes.ts'), renderRoutes(document));
  writeFileSync(join(folder, 'required-input.ts'), renderRequiredInput(document));
  writeFileSync(join(folder, 'fixtures.ts'), renderFixtures(document));
}

/** Returns the operations below /api/: the others are pages, redirects and operator routes. */
export function apiOperations({ paths }) {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        ...operation,
      })),
    )
    .filter(({ responses }) => !responses[200]?.content?.['text/event-stream']);
}

function renderRoutes(document) {
  const operations = apiOperations(document);
  const routes = operations.map(
    ({ operationId, method, path }) => `export const ${operationId} = '${method} ${path}';`,
  );
  const codes = [...codesByStatus(document, operations)].map(
    ([status, names]) => `  ${status}: ${names.map((name) => `'${name}'`).join(' | ')};`,
  );
  const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

// The method and the path of each operation of the API, by its operationId.
${routes.join('\n')}

/** The version of this package. */
export const version = '${version}';

/** The error codes of each status. */
export interface ErrorCodes {
${codes.join('\n')}
}
`;
}

function renderRequiredInput(document) {
  const required = {};
  // The client has no methods for routes of operators, and makes the body for a token.
  const isMethod = ({ path }) => !/\/(admin|auth)\//.test(path);
  for (const { method, path, parameters = [], requestBody } of apiOperations(document).filter(
    isMethod,
  )) {
    const names = parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name }) => name);
    if (requestBody?.required) names.push('body');
    if (names.length > 1) throw new Error(`${method} ${path} requires ${names}: list all of them`);
    // The client requires the body of every PUT and PATCH.
    if (method !== 'PUT' && method !== 'PATCH' && names.length > 0)
      required[`${method} ${path}`] = names[0];
  }
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

/**
 * What an operation requires beside the parameters of its path: its body, or one query parameter.
 * Without PUT and PATCH, which always require their body.
 */
export const requiredInput: Readonly<Record<string, string>> = ${JSON.stringify(required, null, 2)};
`;
}

/** Returns the error codes of each status. The description of an error response lists its codes. */
function codesByStatus({ components }, operations) {
  const codes = new Map();
  for (const { responses } of operations) {
    for (const [status, { description }] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      codes.set(status, new Set([...(codes.get(status) ?? []), ...description.split(', ')]));
    }
  }
  const known = components.schemas.ErrorCode.enum;
  return [...codes]
    .sort(([a], [b]) => a - b)
    .map(([status, names]) => {
      const unknown = [...names].filter((name) => !known.includes(name));
      if (unknown.length > 0) throw new Error(`${status}: ${unknown} is not an error code`);
      return [status, known.filter((name) => names.has(name))];
    });
}

/** Returns a valid result of each operation that answers with JSON, made from the document's examples. */
function renderFixtures(document) {
  const results = {};
  const successes = {};
  const isSuccess = (status) => ['200', '201', '202'].includes(status);
  for (const { operationId, method, path, responses } of apiOperations(document)) {
    const status = Object.keys(responses).find(isSuccess);
    successes[operationId] = { route: `${method} ${path}`, status: Number(status) };
    const schema = responses[status].content['application/json']?.schema;
    if (schema) {
      const envelope = document.components.schemas[nameOf((schema.anyOf?.[0] ?? schema).$ref)];
      results[operationId] = exampleOf(document, envelope.properties.data);
    }
  }
  const codes = {};
  for (const [status, names] of codesByStatus(document, apiOperations(document))) {
    for (const name of names) codes[name] ??= Number(status);
  }
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.
import type { CallData } from '../calls.js';
import type { ErrorCodes } from './routes.js';
import type * as routes from './routes.js';

/** The names of the operations of the API, such as \`createUrl\`. */
export type OperationId = Exclude<keyof typeof routes, 'version'>;

/** A valid result of each operation, from the examples of openapi.yaml. */
export const fixtures: {
  readonly [Id in Exclude<OperationId, 'downloadQr'>]: CallData<(typeof routes)[Id]>;
} = ${JSON.stringify(results, null, 2)};

/** The method, the path and the status of each operation's success. */
export const successes: Readonly<Record<OperationId, { route: string; status: number }>> = ${JSON.stringify(successes, null, 2)};

/** The status of each error code. */
export const errorStatuses: Readonly<Record<ErrorCodes[keyof ErrorCodes], number>> = ${JSON.stringify(codes, null, 2)};
`;
}

// Values with which the fields of a record agree with one another. They replace the examples.
const fixtureValues = {
  ...{ total: 1, limit: 100, offset: 0 },
  ...{ customSlug: 'spring-sale', urlId: '42', size: 512, errorCorrection: 'M', apiKey: null },
  ...{
    organizationId: '0198c0de-0000-7000-8000-0000000000aa',
    isActive: true,
    clickCount: 0,
    downloadCount: 0,
    scanCount: 0,
  },
  ...{
    failedCount: 0,
    errors: [],
    skippedCount: 0,
    skippedIds: [],
    deletedIds: ['42'],
    overage: 0,
  },
};

const examplesByFormat = {
  uuid: '0198c0de-0000-7000-8000-0000000000aa',
  'date-time': '2030-01-01T00:00:00.000Z',
};

/** Returns a value that a schema allows: its example, or else the simplest one. Null where allowed. */
function exampleOf(document, schema, name) {
  if (name in fixtureValues) return fixtureValues[name];
  if (schema.$ref) return exampleOf(document, document.components.schemas[nameOf(schema.$ref)]);
  const variants = schema.anyOf ?? schema.oneOf;
  const isNullable = [variants?.map(({ type }) => type), schema.type].flat(2).includes('null');
  const [variant] = variants?.filter(({ type }) => type !== 'null') ?? [];
  if (isNullable && !variant?.properties && !variant?.$ref) return null;
  for (const word of ['example', 'const', 'default']) if (word in schema) return schema[word];
  if (variant) return exampleOf(document, variant);
  if (schema.enum) return schema.enum[0];
  if (schema.properties) {
    const fields = Object.entries(schema.properties);
    return Object.fromEntries(fields.map(([key, field]) => [key, exampleOf(document, field, key)]));
  }
  switch (schema.type) {
    case 'object':
      return {};
    case 'array': {
      const item = exampleOf(document, schema.items);
      return item === 'text' ? [] : [item];
    }
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'string':
      return examplesByFormat[schema.format] ?? 'text';
    default:
      throw new Error(`there is no example of ${name}: ${JSON.stringify(schema)}`);
  }
}
