import type { Generated } from 'kysely';

/** The types of columns. `dialects.ts` has those that the engines spell differently. */
type ColumnType =
  | 'text'
  | 'bytes'
  | 'rowId'
  | 'generatedId'
  | 'integer'
  | 'bigint'
  | 'double precision';

/** A column: its definition, and the type of its values. */
export interface Column<Value> {
  readonly type: ColumnType;
  /** The SQL after the type. */
  readonly constraints: string;
  /** Never set. It only carries the type of the column's values. */
  readonly value?: Value;
}

/** A row of a table in Kysely's terms. */
export type RowOf<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends Column<infer Value> ? Value : never;
};

function column<Value>(type: ColumnType, constraints = ''): Column<Value> {
  return { type, constraints };
}

function add<Value>({ type, constraints }: Column<unknown>, constraint: string): Column<Value> {
  return { type, constraints: `${constraints} ${constraint}` };
}

export const text = column<string>('text', 'not null');
export const textOrNull = column<string | null>('text');
export const textKey = column<string>('text', 'primary key');
export const integer = column<number>('integer', 'not null');
export const integerOrNull = column<number | null>('integer');
export const bigint = column<number>('bigint', 'not null');
export const bigintOrNull = column<number | null>('bigint');
export const doubleOrNull = column<number | null>('double precision');
export const bytes = column<Uint8Array>('bytes', 'not null');
export const bytesOrNull = column<Uint8Array | null>('bytes');
export const rowId = column<number>('rowId');
export const generatedId = column<Generated<number>>('generatedId');

/** Adds a reference to the id of a table. */
export function references<Value>(referring: Column<Value>, table: string): Column<Value> {
  return add(referring, `references ${table} (id)`);
}

/** Adds a default for the rows that are older than the column. Inserts must still set the column. */
export function withDefault<Value>(of: Column<Value>, value: string): Column<Value> {
  return add(of, `default ${value}`);
}

/** Adds a default, so that inserts may omit the column. */
export function optional<Value>(of: Column<Value>, value: string): Column<Generated<Value>> {
  return add(of, `default ${value}`);
}
