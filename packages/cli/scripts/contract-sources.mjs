// Writes the sources of the CLI that derive from openapi.yaml.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../../scripts/bootstrap.mjs';

/** The operations whose bodies or queries are options of commands. */
const inputs = [
  ...['createUrl', 'updateUrl', 'createQr', 'updateQr', 'updateDomain'],
  ...['listUrls', 'listTags', 'listQrs', 'listDeliveries', 'listDomains', 'listAuditEntries'],
  ...['listAllAuditEntries', 'testUrlRules'],
  ...['getUrlClicks', 'getQrScans', 'getAnalyticsOverview', 'exportVisits'],
];
/** The operations that MCP tools call. */
const toolOperations = [
  ...['listUrls', 'getUrl', 'createUrl', 'updateUrl', 'deleteUrl', 'listDomains', 'listQrs'],
  ...['getQr', 'createQr', 'getUrlClicks', 'getAnalyticsOverview', 'getQrScans', 'getMe'],
  'getUsage',
];

export function writeCliSources(folder, importFolder) {
  const document = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  const routes = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const operations = new Map(routes.map(({ operation }) => [operation.operationId, operation]));
  // Lists check the fields of what they have read.
  const fields = routes.flatMap(({ route, operation }) => {
    const data = route.startsWith('GET') ? undefined : dataOf(document, operation);
    return data ? [[route, Object.keys(data.properties)]] : [];
  });
  writeLinkFields(importFolder, document, operations);
  write(folder, 'response-fields.json', Object.fromEntries(fields));
  const taken = new Set([...inputs, ...toolOperations]);
  const bodies = [...taken].map((id) => [id, inputOf(document, operations.get(id))]);
  write(folder, 'inputs.json', Object.fromEntries(bodies));
  const called = routes.filter(({ operation }) => toolOperations.includes(operation.operationId));
  const tools = called.map(({ route, operation }) => {
    const [method, path] = route.split(' ');
    const scopes = operation.security.flatMap(({ clientCredentials = [] }) => clientCredentials);
    const output = reduce(dataOf(document, operation));
    return [operation.operationId, { method, path, scopes, output }];
  });
  write(folder, 'tool-operations.json', Object.fromEntries(tools));
}

/** Returns the fields of the body of an operation, or its query parameters. */
function inputOf(document, { requestBody, parameters = [] }) {
  if (requestBody) {
    const { schema } = requestBody.content['application/json'];
    return describeFields(reduce(resolve(document, schema), true));
  }
  const query = resolve(document, parameters).filter((each) => each.in === 'query');
  const fields = query.map(({ name, schema, description }) => [
    name,
    { ...reduce(schema), description },
  ]);
  return { properties: Object.fromEntries(fields) };
}

/** Writes the fields of links with their kinds and rules, and those that only the server sets. */
function writeLinkFields(folder, document, operations) {
  const bodyOf = (id) => {
    const { schema } = operations.get(id).requestBody.content['application/json'];
    return resolve(document, schema).properties;
  };
  const [create, update] = [bodyOf('createUrl'), bodyOf('updateUrl')];
  const record = Object.keys(dataOf(document, operations.get('getUrl')).properties);
  const rows = Object.entries({ ...create, ...update }).map(([name, schema]) => {
    const { anyOf, type: types, ...rest } = schema;
    const type = [types].flat().find((each) => each !== 'null');
    const value = anyOf?.find((each) => each.type !== 'null') ?? { ...rest, type };
    const field = {
      kind: kindOf(value),
      ...(name in create && { isCreated: true }),
      ...(name in update && { isUpdated: true }),
      ...Object.fromEntries(
        rules.filter((rule) => rule in value).map((rule) => [rule, withoutNull(value[rule])]),
      ),
    };
    return `  ${name}: ${JSON.stringify(field)},`;
  });
  const readOnly = record.filter((name) => !(name in create));
  const text = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

/** The fields of requests that create and update links, with the rules for their values. */
export const linkFields = {
${rows.join('\n')}
} as const;

/** The fields of a link that only the server sets. */
export const readOnlyFields: readonly string[] = ${JSON.stringify(readOnly)};
`;
  writeFileSync(join(folder, 'link-fields.ts'), text);
}

const rules = ['enum', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'maxItems'];

function withoutNull(rule) {
  return Array.isArray(rule) ? rule.filter((each) => each !== null) : rule;
}

function kindOf({ type, items, enum: values }) {
  if (type === 'array')
    return items.type === 'string' ? 'texts' : items.type === 'integer' ? 'integers' : 'list';
  if (type === 'number' || typeof values?.[0] === 'number') return 'integer';
  return { string: 'text', integer: 'integer', boolean: 'boolean', object: 'object' }[type];
}

/** Writes an object with a line for each key. */
function write(folder, name, value) {
  const lines = Object.entries(value).map(
    ([key, part]) => `${JSON.stringify(key)}: ${JSON.stringify(part)}`,
  );
  writeFileSync(join(folder, name), `{\n${lines.join(',\n')}\n}\n`);
}

/** Returns the schema of the data in the successful JSON response of an operation, if it is an object. */
function dataOf(document, { responses }) {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = success && resolve(document, success).content?.['application/json']?.schema;
  const data = schema?.properties?.data;
  return data?.properties ? data : undefined;
}

/** Replaces references by what they name, and what a schema extends by its fields. */
function resolve(document, schema) {
  if (Array.isArray(schema)) return schema.map((each) => resolve(document, each));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...own } = schema;
  const named = $ref
    ?.split('/')
    .slice(1)
    .reduce((value, key) => value[key], document);
  const { allOf = [], ...resolved } = Object.fromEntries(
    Object.entries({ ...(named && resolve(document, named)), ...own }).map(([key, value]) => [
      key,
      resolve(document, value),
    ]),
  );
  return allOf.reduce(merge, resolved);
}

/** Returns a schema with the fields of one that it extends. */
function merge({ properties, required = [], ...rest }, base) {
  return {
    type: 'object',
    ...base,
    ...rest,
    properties: { ...base.properties, ...properties },
    required: [...new Set([...(base.required ?? []), ...required])],
  };
}

/** Describes the fields that have no description, because their names say everything. */
function describeFields(schema) {
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const variant = field.anyOf?.find((each) => each.description);
    return [name, { ...field, description: field.description ?? variant?.description ?? words }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

// The server checks the values, and its messages name the rule.
const structure = ['type', 'enum', 'const', 'properties', 'required', 'items', 'anyOf'];

/** Returns a schema of the structure. Objects may have more fields, because servers may be newer. */
function reduce(schema, hasDescriptions = false) {
  const each = (part) => {
    const { description } = part;
    return {
      ...reduce(part, hasDescriptions),
      ...(hasDescriptions && description && { description }),
    };
  };
  const result = Object.fromEntries(
    structure.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])),
  );
  const { properties, items, anyOf } = result;
  if (properties) {
    const entries = Object.entries(properties).map(([name, part]) => [name, each(part)]);
    result.properties = Object.fromEntries(entries);
  }
  if (items) result.items = each(items);
  if (anyOf) result.anyOf = anyOf.map(each);
  if (typeof schema.additionalProperties === 'object') {
    result.additionalProperties = each(schema.additionalProperties);
  }
  return result;
}
