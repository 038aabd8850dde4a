import table from './generated/operations.json' with { type: 'json' };

export type OperationId = keyof typeof table;

export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | number | null)[];
  readonly minItems?: number;
  readonly anyOf?: readonly FieldSchema[];
}

/** An operation of the API, as the contract describes it. */
export interface Operation {
  /** `GET /api/v1/urls/{id}`. */
  readonly route: string;
  readonly summary: string;
  /** The scopes of which a token needs one. */
  readonly scopes: readonly string[];
  /** Whether it takes `If-Match`. */
  readonly isVersioned: boolean;
  /** The fields of the body, or the query parameters. */
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  /** The fields of the data, if the operation changes something. */
  readonly prints?: readonly string[];
}

export const operations: Readonly<Record<OperationId, Operation>> = table;

/** Returns the fields of a body that can be emptied, with what empties them: null, or an empty list. */
export function clearableFields(operation: OperationId): Readonly<Record<string, null | []>> {
  const fields = Object.entries(operations[operation].properties);
  const isNullable = ({ type, anyOf }: FieldSchema): boolean =>
    [type].flat().includes('null') || (anyOf?.some(isNullable) ?? false);
  const empty = fields.flatMap(([name, field]): [string, null | []][] => {
    // It follows from the password, and null would change nothing.
    if (name === 'isPasswordProtected') return [];
    if (isNullable(field)) return [[name, null]];
    return field.type === 'array' && !field.minItems ? [[name, []]] : [];
  });
  return Object.fromEntries(empty);
}
