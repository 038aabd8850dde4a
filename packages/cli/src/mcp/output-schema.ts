import { z } from 'zod';

/** A page of a list. `nextAfter` continues it. */
export function pageOf<Name extends string>(name: Name, item: z.ZodType): z.ZodObject {
  return z.object({ total: z.int(), [name]: z.array(item), nextAfter: z.string().nullable() });
}

/**
 * Returns the JSON schema of a result, which clients validate. Results may have more fields, because
 * the server may be newer than this command.
 */
export function outputSchemaOf(output: z.ZodType): JsonObjectSchema {
  const schema = z.toJSONSchema(output, {
    target: 'draft-7',
    // Without the texts and references of the OpenAPI document.
    metadata: z.registry(),
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { ...schema, type: 'object' } as JsonObjectSchema;
}

/** The protocol requires an object at the root. */
type JsonObjectSchema = { readonly type: 'object'; readonly [keyword: string]: unknown };
