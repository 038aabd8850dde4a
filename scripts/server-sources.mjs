// Writes the source of the server that derives from openapi.yaml: the JSON schemas of the events.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readContract } from './read-contract.mjs';

export function writeServerSources(folder) {
  const document = readContract();
  writeFileSync(join(folder, 'event-schemas.ts'), renderEventSchemas(document));
}

function renderEventSchemas({ webhooks, components }) {
  const schemas = Object.entries(webhooks).map(([type, { post }]) => {
    const { schema } = post.requestBody.content['application/json'];
    return `  '${type}': ${JSON.stringify(jsonSchemaOf(schema, components.schemas))},\n`;
  });
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.
import type { EventType } from '../events/event-types.js';

/** The JSON schema (draft 2020-12) of the body of each event type. */
export const eventSchemas: Readonly<Record<EventType, Readonly<Record<string, unknown>>>> = {
${schemas.join('')}};
`;
}

/** Returns a schema of OpenAPI 3.1 as a JSON schema that contains all schemas that it refers to. */
function jsonSchemaOf(schema, schemas) {
  // A set also visits the names that are added meanwhile.
  const names = new Set();
  const convert = (value) => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => convertEntry(name, each)),
    );
  };
  const convertEntry = (name, value) => {
    // A field of an event may have the name of a keyword.
    if (name === 'properties') {
      return [
        name,
        Object.fromEntries(Object.entries(value).map(([field, each]) => [field, convert(each)])),
      ];
    }
    // The keyword of JSON schema. OpenAPI has both.
    if (name === 'example') return ['examples', [value]];
    if (name !== '$ref') return [name, convert(value)];
    const used = value.split('/').at(-1);
    names.add(used);
    return [name, `#/$defs/${used}`];
  };
  const body = convert(schema.$ref ? schemas[schema.$ref.split('/').at(-1)] : schema);
  const definitions = {};
  for (const name of names) definitions[name] = convert(schemas[name]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...body,
    ...(names.size > 0 && { $defs: definitions }),
  };
}
