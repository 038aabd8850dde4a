// Writes the sources of the CLI that derive from openapi.yaml.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, readContract } from '../../../scripts/read-contract.mjs';

const document = readContract();

/** Returns what a reference names. */
function follow({ $ref, ...own }) {
  if (!$ref) return own;
  return { ...follow(document.components.schemas[nameOf($ref)]), ...own };
}

// Operations that no command calls by its description.
const others = /^\w+ (?!\/api\/v1\/)|\/(?:auth|bulk|people|preview|session)\b/;

export function writeCliSources(folder, importFolder) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { requestBody, responses, ...operation }]) => {
      const [, success] = Object.entries(responses).find(([status]) => status < '3') ?? [];
      const data = follow(follow(schemaOf(success)).properties?.data ?? {});
      const body = follow(schemaOf(requestBody));
      const { ETag: etag } = success?.headers ?? {};
      return { ...operation, route: `${method.toUpperCase()} ${path}`, body, data, etag };
    }),
  );
  const find = (id) => operations.find(({ operationId }) => operationId === id);
  const [create, update, read] = ['createUrl', 'updateUrl', 'getUrl'].map(find);
  writeLinkFields(importFolder, create.body, update.body, read.data);
  const rows = operations.filter(({ route }) => !others.test(route));
  const lines = rows.map((row) => `"${row.operationId}": ${JSON.stringify(describe(row))}`);
  writeFileSync(join(folder, 'operations.json'), `{\n${lines.join(',\n')}\n}\n`);
}

function schemaOf(message) {
  return message?.content?.['application/json']?.schema ?? {};
}

/** Returns what commands and MCP tools take from an operation. */
function describe({ route, summary, parameters = [], security, body, data, etag }) {
  const query = parameters.filter((each) => each.in === 'query');
  const fields = [
    ...Object.entries(body.properties ?? {}),
    ...query.map(({ name, schema, description }) => [name, { ...schema, description }]),
  ];
  return {
    route,
    summary,
    scopes: security.flatMap(({ clientCredentials = [] }) => clientCredentials),
    isVersioned: parameters.some(({ name }) => name === 'If-Match'),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldOf(name, field)])),
    required: body.required,
    // Lists check the fields of what they have read.
    prints: route.startsWith('GET')
      ? undefined
      : Object.keys({ ...data.properties, ...(etag && { etag }) }),
  };
}

/** Describes a field that has no description, because its name says everything. */
function fieldOf(name, field) {
  const { description, ...reduced } = reduce(field);
  const variant = reduced.anyOf?.find((each) => each.description);
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { ...reduced, description: description ?? variant?.description ?? words };
}

/** Returns the structure of a schema. The server checks the values, and its messages name the rule. */
function reduce(schema) {
  const whole = follow(schema);
  const { type, enum: values, const: value, required, description } = whole;
  const { properties, items, minItems, anyOf, additionalProperties: more } = whole;
  return {
    ...{ type, enum: values, const: value, required, description, items: items && reduce(items) },
    minItems,
    anyOf: anyOf?.map(reduce),
    properties:
      properties &&
      Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, reduce(part)])),
    additionalProperties: typeof more === 'object' ? reduce(more) : undefined,
  };
}

const rules = ['enum', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'maxItems'];

/** Writes the fields of links with their kinds and rules, and those that only the server sets. */
function writeLinkFields(folder, { properties: create }, { properties: update }, record) {
  const rows = Object.entries({ ...create, ...update }).map(([name, schema]) => {
    const { anyOf, type: types, ...rest } = follow(schema);
    const type = [types].flat().find((each) => each !== 'null');
    const value = follow(anyOf?.find((each) => each.type !== 'null') ?? { ...rest, type });
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
  const readOnly = Object.keys(record.properties).filter((name) => !(name in create));
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

function withoutNull(rule) {
  return Array.isArray(rule) ? rule.filter((each) => each !== null) : rule;
}

function kindOf({ type, items, enum: values }) {
  if (type === 'array') return items.type === 'string' ? 'texts' : 'list';
  if (type === 'number' || typeof values?.[0] === 'number') return 'integer';
  return { string: 'text', integer: 'integer', boolean: 'boolean', object: 'object' }[type];
}
