import { type ColumnDefinitionBuilder, sql } from 'kysely';

/** The few words that engines spell differently. */
export const dialects = {
  sqlite: {
    // Only a column of exactly this type is SQLite's row id itself.
    integerKey: sql`integer`,
    generatedKey: (column: ColumnDefinitionBuilder) => column.primaryKey().autoIncrement(),
    // The key is all there is to the row, or all that it is found by: store it once, in key order.
    clustered: sql`without rowid`,
    bytes: sql`blob`,
    text: sql`text`,
    partitioned: (_column: string) => sql`without rowid`,
    partitionKey: <Column extends string>(_column: Column): Column[] => [],
  },
  postgres: {
    integerKey: sql`bigint`,
    generatedKey: (column: ColumnDefinitionBuilder) =>
      column.generatedByDefaultAsIdentity().primaryKey(),
    clustered: sql``,
    bytes: sql`bytea`,
    // Compared byte by byte, as programs and SQLite do, whatever language the server speaks.
    text: sql`text collate "C"`,
    // Months of their own, which `partitions.ts` makes when they are needed.
    partitioned: (column: string) => sql`partition by range (${sql.ref(column)})`,
    partitionKey: <Column extends string>(column: Column): Column[] => [column],
  },
} as const;
