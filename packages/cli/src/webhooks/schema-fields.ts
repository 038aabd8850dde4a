/** A field of a JSON object, by its path from the root, such as `data.visits[].country`. */
export interface SchemaField {
  readonly field: string;
  readonly type: string;
  readonly description: string;
}

/** The part of JSON schema that the server's schemas of events use. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly description?: string;
}

// No schema of the server refers to itself. This ends a walk through one that does.
const maxDepth = 8;

/** Returns the fields that a JSON schema describes, each before the fields inside it. */
export function fieldsOf(schema: object): SchemaField[] {
  const root: Schema = schema;
  const definitions = root.$defs ?? {};
  const fields: SchemaField[] = [];

  const resolve = (part: Schema): Schema => {
    if (part.$ref === undefined) return part;
    const { $ref, ...own } = part;
    return { ...definitions[$ref.split('/').at(-1) ?? ''], ...own };
  };
  const addProperties = (part: Schema, path: string, depth: number): void => {
    if (depth > maxDepth) return;
    for (const [name, value] of Object.entries(part.properties ?? {})) {
      addField(resolve(value), `${path}${name}`, part.required?.includes(name) ?? false, depth);
    }
  };
  const addField = (field: Schema, path: string, isRequired: boolean, depth: number): void => {
    const optional = isRequired ? '' : ' (optional)';
    const { description = '' } = field;
    fields.push({ field: path, type: `${typeOf(field)}${optional}`, description });
    for (const variant of [field, ...(field.anyOf ?? [])].map(resolve)) {
      addProperties(variant, `${path}.`, depth + 1);
      if (variant.items) addProperties(resolve(variant.items), `${path}[].`, depth + 1);
    }
  };
  const typeOf = (part: Schema): string => {
    if ('const' in part) return JSON.stringify(part.const);
    if (part.enum) return part.enum.join(' | ');
    if (part.anyOf) return part.anyOf.map((variant) => typeOf(resolve(variant))).join(' | ');
    const type = [part.type ?? 'any'].flat().join(' | ');
    return part.items ? `${typeOf(resolve(part.items))}[]` : type;
  };

  addProperties(root, '', 0);
  return fields;
}
