import type { z } from 'zod';

/** A record whose times, the fields `…At` and `…Since`, are ISO strings as in the API. */
export type WithIsoTimes<Fields> = {
  [Name in keyof Fields]: Name extends `${string}At` | `${string}Since`
    ? Exclude<Fields[Name], number> | string
    : Fields[Name];
};

/** Returns a record for the API. Storage has times in milliseconds, the API has ISO strings. */
export function withIsoTimes<Fields extends object>(fields: Fields): WithIsoTimes<Fields> {
  const record = { ...fields } as Record<string, unknown>;
  for (const name of Object.keys(record)) {
    const value = record[name];
    if (typeof value === 'number' && /(?:At|Since)$/.test(name)) {
      record[name] = new Date(value).toISOString();
    }
  }
  return record as WithIsoTimes<Fields>;
}

/**
 * Returns the fields of a schema, in its order, which is the order of the columns that users see. A new
 * column of a table is not published until the schema has it.
 */
export function presentAs<
  Schema extends z.ZodObject,
  Fields extends Readonly<Record<keyof z.input<Schema>, unknown>>,
>(schema: Schema, fields: Fields): Pick<Fields, keyof Fields & keyof z.input<Schema>> {
  const record: Record<string, unknown> = {};
  for (const name of Object.keys(schema.shape)) record[name] = fields[name as keyof Fields];
  return record as never;
}

/** The name of a field whose column has this one. */
export type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The fields of a row: each is named as its column, in camel case. */
export type FieldsOf<Row> = { [Column in keyof Row as CamelCase<Column>]: Row[Column] };

export function fieldsOf<Row extends object>(row: Row): FieldsOf<Row> {
  const fields = Object.entries(row).map(([column, value]) => [camelCase(column), value]);
  return Object.fromEntries(fields) as FieldsOf<Row>;
}

/** Returns the name of the column of a field. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the columns of fields, the reverse of `fieldsOf`. */
export function columnsOf<Row extends object>(fields: FieldsOf<Row>): Row {
  const row = Object.entries(fields).map(([field, value]) => [columnOf(field), value]);
  return Object.fromEntries(row) as Row;
}
