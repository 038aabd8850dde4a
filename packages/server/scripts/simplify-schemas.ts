/** A part of an OpenAPI document. */
type Part = Record<string, unknown>;

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

/**
 * Shortens what the library writes at length: nullable types, and descriptions that a parameter and its
 * schema share. Events and responses share one schema of the same record.
 */
export function simplifySchemas(document: Document): void {
  const schemas = document.components?.schemas as Record<string, unknown>;
  for (const name of Object.keys(schemas)) {
    // A schema of requests that is also one of responses gets this second name.
    if (name.endsWith('Output') && name.slice(0, -'Output'.length) in schemas) delete schemas[name];
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (!/(Request|Form|UpdateItem)$/.test(name)) visit(schema as Part, openResponse);
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (name.endsWith('Response')) describeEnvelopeOnce(schema as Part);
  }
  visit(document as Part, (part) => {
    mergeNull(part);
    shareSchema(part, schemas);
    dropRepeatedDescription(part);
    dropPlainExample(part);
    // Every name of a JSON object is a text.
    const names = part.propertyNames as Part | undefined;
    if (names && Object.keys(names).join() === 'type') delete part.propertyNames;
  });
}

/** A newer server may add fields. The limit of exact numbers helps no client that reads one. */
function openResponse(part: Part): void {
  if (part.additionalProperties === false) delete part.additionalProperties;
  if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
}

/** The fields of an envelope are those of the schemas that it refers to. */
function describeEnvelopeOnce({ properties = {} }: { properties?: Record<string, Part> }): void {
  for (const field of Object.values(properties)) if ('$ref' in field) delete field.description;
}

function visit(part: Part, change: (part: Part) => void): void {
  change(part);
  for (const [key, child] of Object.entries(part)) {
    if (key !== 'example' && typeof child === 'object' && child !== null)
      visit(child as Part, change);
  }
}

/** `anyOf` a type or null becomes a list of types, which code generators read as a nullable field. */
function mergeNull(part: Part): void {
  const variants = part.anyOf as Part[] | undefined;
  if (variants?.length !== 2 || variants[1]?.type !== 'null') return;
  const [{ type, ...rest }] = variants as [Part];
  if (typeof type !== 'string' || type === 'object' || 'enum' in rest || 'const' in rest) return;
  delete part.anyOf;
  Object.assign(part, { type: [type, 'null'], ...rest, ...part });
}

function shareSchema(part: Part, schemas: Readonly<Record<string, unknown>>): void {
  const { $ref } = part;
  if (typeof $ref !== 'string' || !$ref.endsWith('Output')) return;
  const name = $ref.split('/').at(-1) ?? '';
  if (!(name in schemas)) part.$ref = $ref.slice(0, -'Output'.length);
}

function dropRepeatedDescription(part: Part): void {
  const schema = part.schema as Part | undefined;
  if ('in' in part && schema && schema.description === part.description) delete schema.description;
}

const plainExamples: Readonly<Record<string, string>> = {
  'date-time': '2030-01-01T00:00:00.000Z',
  uuid: '0198c0de-0000-7000-8000-0000000000aa',
};

/** The format says what this example would show. */
function dropPlainExample(part: Part): void {
  if (part.example === plainExamples[String(part.format)]) delete part.example;
}
