// Reads openapi.yaml for what derives from it.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const file = new URL('../openapi.yaml', import.meta.url);

/**
 * Returns the contract with shared headers, parameters and responses in the place of the references to
 * them, and with the fields of each schema in one list instead of `allOf`. References to other schemas
 * stay.
 */
export function readContract(text = readFileSync(file, 'utf8')) {
  const document = parse(text);
  return resolve(document, document);
}

/** Returns a schema with the fields of those that it extends. */
function flatten({ allOf, unevaluatedProperties, ...schema }, schemas) {
  if (!allOf) return schema;
  const bases = allOf.map(({ $ref }) => flatten(schemas[nameOf($ref)], schemas));
  const parts = [...bases, schema];
  const required = parts.flatMap((part) => part.required ?? []);
  return {
    type: 'object',
    ...schema,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...(unevaluatedProperties === false && { additionalProperties: false }),
  };
}

function resolve(value, document) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => resolve(item, document));
  const { $ref } = value;
  if (typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/')) {
    return resolve(find(document, $ref), document);
  }
  const flat = flatten(value, document.components.schemas);
  return Object.fromEntries(
    Object.entries(flat).map(([name, inner]) => [name, resolve(inner, document)]),
  );
}

function find(document, reference) {
  let found = document;
  for (const name of reference.replace('#/', '').split('/')) found = found?.[name];
  if (found === undefined) throw new Error(`openapi.yaml has nothing at ${reference}`);
  return found;
}

/** Returns the name of the schema that a reference names. */
export function nameOf(reference) {
  return reference.split('/').at(-1);
}
