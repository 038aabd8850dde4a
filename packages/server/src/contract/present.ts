import type { z } from 'zod';

/** A record whose times, the fields `…At` and `…Since`, are ISO strings as in the API. */
export type WithIsoTimes<Fields> = {
  [Name in keyof Fields]: Name extends `${string}At` | `${string}Since`
    ? Exclude<Fields[Name], number> | string
    : Fields[Name];
};

/** Returns a record for the API. Storage has times in milliseconds, the API has ISO strings. */
export function withIsoTimes<Fields extends object>(fields: Fields): WithIsoTimes<Fields> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const isTime = /(?:At|Since)$/.test(name) && typeof value === 'number';
    return [name, isTime ? new Date(value).toISOString() : value];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the fields of a schema, in its order, which is the order of the columns that users see. A new
 * column of a table is not published until the schema has it.
 */
export function presentAs<
  Schema extends z.ZodObject,
  Fields extends Readonly<Record<keyof z.input<Schema>, unknown>>,
>(schema: Schema, fields: Fields): Pick<Fields, keyof Fields & keyof z.input<Schema>> {
  const names = Object.keys(schema.shape) as (keyof Fields & keyof z.input<Schema>)[];
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as never;
}
