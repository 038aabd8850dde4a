// Writes the sources of the SDK that derive from openapi.yaml.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary, root, run } from './bootstrap.mjs';
import { nameOf, readContract } from './read-contract.mjs';
import { describeMethod, renderResources, takesIfMatch } from './sdk-methods.mjs';

const notice = '// Generated from openapi.yaml by `npm run generate`. Do not edit.';

export function writeSdkSources(folder) {
  const document = readContract();
  const operations = apiOperations(document);
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
  const example = (schema, name) => exampleOf(document, schema, name);
  writeFileSync(join(folder, 'contract.ts'), renderContract(document, operations));
  writeFileSync(join(folder, 'types.ts'), renderTypes(document, operations));
  writeFileSync(join(folder, 'resources.ts'), renderResources(document, operations, example));
  writeFileSync(join(folder, 'fixtures.ts'), renderFixtures(document, operations));
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

function renderContract(document, operations) {
  const codes = [...codesByStatus(document, operations)].map(
    ([status, names]) => `  ${status}: ${names.map((name) => `'${name}'`).join(' | ')};`,
  );
  const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));
  const versioned = operations
    .filter(takesIfMatch)
    .map(({ method, path }) => `  '${method} ${path}',`);
  return `${notice}

/** The version of this package. */
export const version = '${version}';

/** The routes that take ifMatch. */
export const versioned = [
${versioned.join('\n')}
];

/** The error codes of each status. */
export interface ErrorCodes {
${codes.join('\n')}
}
`;
}

// Types that no method mentions by itself.
const furtherTypes = ['ErrorResponse', 'EventType', 'Token', 'TokenRequest', 'UrlBulkUpdateItem'];
// Written by hand in types.ts: the schema of an event depends on its type.
const writtenTypes = ['Event', 'EventPage'];

/** Returns an interface for each schema of the methods, and a type for each of their queries. */
function renderTypes(document, operations) {
  const { schemas } = document.components;
  const methods = operations.map(describeMethod).filter((method) => method !== undefined);
  const uses = new Map();
  const use = (type, text) => type && uses.set(type, [...(uses.get(type) ?? []), text]);
  for (const { bodyType, dataType, fullName } of methods) {
    use(bodyType, `The body of \`${fullName}\`.`);
    use(dataType, `The result of \`${fullName}\`.`);
  }
  // A set also visits the names that are added meanwhile.
  const names = new Set([...furtherTypes, ...uses.keys()]);
  for (const name of names) for (const used of referencesIn(schemas[name])) names.add(used);
  const types = [...names]
    .filter((name) => !writtenTypes.includes(name))
    .sort()
    .map((name) => {
      const doc = schemas[name].description ?? uses.get(name)?.[0];
      return `${doc ? `/** ${doc.replaceAll(/\s+/g, ' ')} */\n` : ''}${renderType(name, schemas[name])}`;
    });
  const queries = methods
    .filter(({ queryType }) => queryType)
    .map(
      ({ queryType, fullName, route }) =>
        `/** The query of \`${fullName}\`. */\nexport interface ${queryType} extends QueryOf<'${route}'> {}\n`,
    );
  return `${notice}
import type { QueryOf, WithDates } from '../calls.js';
import type { components } from './api.js';

// Interfaces have names of their own, which editors show instead of all fields.
type Schemas = components['schemas'];
type Schema<Name extends keyof Schemas> = Schemas[Name];

${[...types, ...queries].join('\n')}`;
}

function renderType(name, { properties }) {
  const isRequest = /(Request|UpdateItem)$/.test(name);
  const type = isRequest ? `WithDates<Schemas['${name}']>` : `Schema<'${name}'>`;
  return properties
    ? `export interface ${name} extends ${type} {}\n`
    : `export type ${name} = ${type};\n`;
}

function referencesIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(referencesIn);
  return typeof value.$ref === 'string' ? [nameOf(value.$ref), ...inner] : inner;
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
function renderFixtures(document, operations) {
  const { schemas } = document.components;
  const results = {};
  const types = [];
  const successes = {};
  const isSuccess = (status) => ['200', '201', '202'].includes(status);
  for (const operation of operations) {
    const { operationId, method, path, responses } = operation;
    const status = Object.keys(responses).find(isSuccess);
    successes[operationId] = { route: `${method} ${path}`, status: Number(status) };
    const dataType = describeMethod(operation)?.dataType ?? 'Token';
    if (operationId === 'downloadQr') continue;
    results[operationId] = exampleOf(document, schemas[dataType]);
    // The schema of an event depends on its type.
    if (operationId === 'listEvents') {
      const { test: _, ...event } = exampleOf(document, schemas.UrlCreatedEvent);
      results[operationId].items = [event];
    }
    types.push([operationId, dataType]);
  }
  const codes = {};
  for (const [status, names] of codesByStatus(document, operations)) {
    for (const name of names) codes[name] ??= Number(status);
  }
  const used = [...new Set(types.map(([, type]) => type))].sort();
  return `${notice}
import type { ${used.join(', ')} } from '../types.js';
import type { ErrorCodes } from './contract.js';

/** A valid result of each operation, from the examples of openapi.yaml. */
export const fixtures: {
${types.map(([id, type]) => `  readonly ${id}: ${type};`).join('\n')}
} = ${JSON.stringify(results, null, 2)};

/** The method, the path and the status of each operation's success. */
export const successes = ${JSON.stringify(successes, null, 2)};

/** The names of the operations of the API, such as \`createUrl\`. */
export type OperationId = keyof typeof successes;

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
    rules: [],
    previousSecrets: [],
    email: 'ada@example.com',
  },
};

const examplesByFormat = {
  uuid: '0198c0de-0000-7000-8000-0000000000aa',
  'date-time': '2030-01-01T00:00:00.000Z',
};

/**
 * Returns a value that a schema allows: its example, or else the simplest one. Null where allowed, and
 * undefined for a text without an example.
 */
function exampleOf(document, schema, name) {
  if (name in fixtureValues) return fixtureValues[name];
  if (schema.$ref && !('example' in schema)) {
    return exampleOf(document, document.components.schemas[nameOf(schema.$ref)]);
  }
  const variants = schema.anyOf ?? schema.oneOf;
  const isNullable = [variants?.map(({ type }) => type), schema.type].flat(2).includes('null');
  const [variant] = variants?.filter(({ type }) => type !== 'null') ?? [];
  if (isNullable && !variant?.properties && !variant?.$ref) return null;
  for (const word of ['example', 'const', 'default']) if (word in schema) return schema[word];
  if (variant) return exampleOf(document, variant);
  if (schema.enum) return schema.enum[0];
  if (schema.properties) {
    const fields = Object.entries(schema.properties);
    const record = Object.fromEntries(
      fields.map(([key, field]) => [key, exampleOf(document, field, key)]),
    );
    // A row of a breakdown has its own field last, whose value is its label.
    if ('label' in record) record.label = Object.values(record).at(-1);
    const missing = fields.find(([key]) => record[key] === undefined);
    if (missing) throw new Error(`openapi.yaml has no example of ${missing[0]}`);
    return record;
  }
  switch (schema.type) {
    case 'object':
      return {};
    case 'array': {
      const item = exampleOf(document, schema.items);
      return item === undefined ? [] : [item];
    }
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'string':
      return examplesByFormat[schema.format];
    default:
      throw new Error(`there is no example of ${name}: ${JSON.stringify(schema)}`);
  }
}
