/**
 * Puts the shared headers, parameters and responses of an OpenAPI document in the place of the
 * references to them. References to schemas stay.
 */
export function resolveReferences<Document>(document: Document): Document {
  const resolved = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolved);
    const { $ref } = value as { $ref?: unknown };
    const isShared = typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/');
    if (isShared) return resolved(find(document, $ref));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, resolved(inner)]),
    );
  };
  return resolved(document) as Document;
}

function find(document: unknown, reference: string): unknown {
  let found = document;
  for (const name of reference.replace('#/', '').split('/')) {
    found = (found as Record<string, unknown> | undefined)?.[name];
  }
  if (found === undefined) throw new Error(`openapi.yaml has nothing at ${reference}`);
  return found;
}
