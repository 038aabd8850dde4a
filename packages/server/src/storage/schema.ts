import type { Generated } from 'kysely';
import { type TableDefinition, tables } from './tables.js';

export type Schema = {
  [Table in keyof typeof tables]: RowOf<(typeof tables)[Table]['columns']>;
};

/**
 * A row of a table in Kysely's terms. A column is defined in SQL by its type and constraints. Its value
 * may be null unless it is `not null` or a key, and inserts may omit it if it has a default.
 */
type RowOf<Columns> = { -readonly [Name in keyof Columns]: ValueOf<Columns[Name]> };

type ValueOf<Definition> = Definition extends 'generatedId' | `${string} default ${string}`
  ? Generated<TypeOf<Definition>>
  : TypeOf<Definition> | NullOf<Definition>;

type NullOf<Definition> = Definition extends `${string} ${'not null' | 'primary key'}${string}`
  ? never
  : null;

type TypeOf<Definition> = Definition extends `${'text' | 'secret'}${string}`
  ? string
  : BytesOrNumber<Definition>;
type BytesOrNumber<Definition> = Definition extends `bytes${string}` ? Uint8Array : number;

export type Table = keyof Schema;

/** The names of all tables, referenced ones first. */
export const tableNames = Object.keys(tables) as Table[];

export function definitionOf(table: Table): TableDefinition {
  return tables[table];
}

/** Returns the columns that order the rows of a table: its primary key, if it has one. */
export function keyOf(table: Table): readonly string[] {
  const { key, columns } = definitionOf(table);
  return key ?? Object.keys(columns).slice(0, 1);
}

/** The column by which the rows of a table belong to rows of another one. */
export interface Owner {
  readonly column: string;
  readonly parent: Table;
}

/** Returns to which rows those of a table belong; undefined for `organizations` and shared tables. */
export function ownerOf(table: Table): Owner | undefined {
  const { owner, shared, columns } = definitionOf(table);
  if (owner) return owner as Owner;
  const isOwned = shared === undefined && 'organization_id' in columns;
  return isOwned ? { column: 'organization_id', parent: 'organizations' } : undefined;
}

/** Returns the tables whose rows belong to rows of a table. */
export function childrenOf(parent: Table): Table[] {
  return tableNames.filter((table) => ownerOf(table)?.parent === parent);
}
