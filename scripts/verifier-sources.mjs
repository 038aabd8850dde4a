// Writes the source of the verifier that derives from openapi.yaml: the types of the events.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, readContract } from './read-contract.mjs';

export function writeVerifierSources(folder) {
  const document = readContract();
  writeFileSync(join(folder, 'event-data.ts'), renderEventData(document.components.schemas));
}

function renderEventData(schemas) {
  const events = Object.entries(schemas)
    .filter(([name, { properties }]) => name.endsWith('Event') && properties?.type?.const)
    .map(([, { properties }]) => [properties.type.const, nameOf(properties.data.$ref)]);
  // In the order of their first use. A set also visits the names that are added meanwhile.
  const names = new Set(events.map(([, name]) => name));
  const interfaces = [];
  for (const name of names) {
    const schema = schemas[name];
    if (schema.enum) {
      interfaces.push(`export type ${name} = ${typeOf(schema)};\n`);
      continue;
    }
    const fields = renderFields(schema, (used) => names.add(used));
    interfaces.push(`${commentOf(schema)}export interface ${name} {
${fields}
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}
`);
  }
  const types = events.map(([type, name]) => `  readonly '${type}': ${name};\n`);
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

${interfaces.join('\n')}
/** The data of each event type. */
export interface WebhookEventData {
${types.join('')}}
`;
}

function renderFields({ properties, required = [] }, use) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const [mark, orUndefined] = required.includes(name) ? ['', ''] : ['?', ' | undefined'];
    return `${commentOf(schema)}readonly ${name}${mark}: ${typeOf(schema, use)}${orUndefined};`;
  });
  return fields.join('\n').replaceAll(/^/gm, '  ');
}

function commentOf({ description }) {
  return description
    ? `/** ${description.replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/')} */\n`
    : '';
}

/** Returns the TypeScript type of a schema. */
function typeOf(schema, use) {
  const union = (types) => [...new Set(types)].join(' | ');
  if (schema.$ref) {
    use(nameOf(schema.$ref));
    return nameOf(schema.$ref);
  }
  if ('const' in schema) return literalOf(schema.const);
  if (schema.enum) return union(schema.enum.map(literalOf));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return union(variants.map((variant) => typeOf(variant, use)));
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typeOf({ ...schema, type }, use)));
  }
  switch (schema.type) {
    case 'integer':
      return 'number';
    case 'array':
      return `ReadonlyArray<${typeOf(schema.items, use)}>`;
    case 'object':
      return schema.properties
        ? `{\n${renderFields(schema, use)}\n}`
        : `{ readonly [name: string]: ${typeOf(schema.additionalProperties ?? {}, use)} }`;
    case undefined:
      return 'unknown';
    default:
      return schema.type;
  }
}

function literalOf(value) {
  return typeof value === 'string' ? `'${value}'` : String(value);
}
