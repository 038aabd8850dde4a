import { CompiledQuery } from 'kysely';
import type { WriteTransaction } from '../database.js';

/** Caches the types of the tables' columns, which the casts of array parameters need. */
export class ColumnTypes {
  readonly #tables = new Map<string, ReadonlyMap<string, string>>();

  async of(transaction: WriteTransaction, table: string): Promise<(column: string) => string> {
    let types = this.#tables.get(table);
    if (!types) {
      types = await readColumnTypes(transaction, table);
      this.#tables.set(table, types);
    }
    const known = types;
    return (column) => {
      const type = known.get(column);
      if (type === undefined) throw new Error(`${table} has no column ${column}`);
      return type;
    };
  }
}

async function readColumnTypes(
  transaction: WriteTransaction,
  table: string,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await transaction.executeQuery<{ name: string; type: string }>(
    CompiledQuery.raw(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    ),
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}
