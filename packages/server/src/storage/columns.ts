import type { Generated } from 'kysely';

/**
 * A row of a table in Kysely's terms. A column is defined in SQL by its type and constraints. Its value
 * may be null unless it is `not null` or a key, and inserts may omit it if it has a default.
 */
export type RowOf<Columns> = { -readonly [Name in keyof Columns]: ValueOf<Columns[Name]> };

type ValueOf<Definition> = Definition extends 'generatedId' | `${string} default ${string}`
  ? Generated<TypeOf<Definition>>
  : TypeOf<Definition> | NullOf<Definition>;

type NullOf<Definition> = Definition extends `${string} ${'not null' | 'primary key'}${string}`
  ? never
  : null;

type TypeOf<Definition> = Definition extends `text${string}` ? string : BytesOrNumber<Definition>;
type BytesOrNumber<Definition> = Definition extends `bytes${string}` ? Uint8Array : number;
