import { sql } from 'kysely';
import type { Database } from '../../src/storage/database.js';

type Rows = readonly Record<string, unknown>[];

/**
 * Describes the tables, columns, keys, indexes and triggers of a database. Two databases with the
 * same description have the same schema, whichever statements created it.
 */
export function describeSchema(database: Database): Promise<Record<string, Rows>> {
  return database.engine === 'sqlite' ? describeSqlite(database) : describePostgres(database);
}

async function describeSqlite({ read }: Database): Promise<Record<string, Rows>> {
  const rows = async (query: ReturnType<typeof sql>) => (await query.execute(read)).rows as Rows;
  const statements = await rows(sql`select name, type, tbl_name, sql from sqlite_master
    where type in ('index', 'trigger') order by name`);
  return {
    tables: await rows(sql`select name, type, wr from pragma_table_list
      where name not like 'sqlite_%' order by name`),
    columns: await rows(sql`select list.name as "table", info.cid, info.name,
        upper(info.type) as type, info."notnull", info.dflt_value, info.pk
      from pragma_table_list as list, pragma_table_xinfo(list.name) as info
      where list.name not like 'sqlite_%' order by list.name, info.cid`),
    references: await rows(sql`select list.name, key."from", key."table", key."to"
      from pragma_table_list as list, pragma_foreign_key_list(list.name) as key
      order by list.name, key."from"`),
    statements: statements.map((row) => ({ ...row, sql: normalize(row.sql) })),
  };
}

async function describePostgres({ read }: Database): Promise<Record<string, Rows>> {
  const rows = async (query: ReturnType<typeof sql>) => (await query.execute(read)).rows as Rows;
  const functions = await rows(sql`select proname as name, prosrc as source,
      pg_get_function_identity_arguments(oid) as arguments
    from pg_proc where pronamespace = 'public'::regnamespace order by proname, 3`);
  return {
    tables: await rows(sql`select relname as name, relkind as kind,
        pg_get_partkeydef(oid) as partition_key
      from pg_class where relnamespace = 'public'::regnamespace order by relname`),
    columns: await rows(sql`select relname as "table", attnum as number, attname as name,
        format_type(atttypid, atttypmod) as type, collname as collation, attnotnull as not_null,
        attidentity as identity, pg_get_expr(adbin, adrelid) as "default"
      from pg_attribute join pg_class on pg_class.oid = attrelid
        left join pg_collation on pg_collation.oid = attcollation
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0
      order by relname, attnum`),
    constraints: await rows(sql`select conrelid::regclass::text as "table", conname as name,
        pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = 'public'::regnamespace order by 1, conname`),
    indexes: await rows(sql`select indexname as name, indexdef as definition
      from pg_indexes where schemaname = 'public' order by indexname`),
    triggers: await rows(sql`select tgname as name, tgenabled as enabled,
        pg_get_triggerdef(oid) as definition
      from pg_trigger where not tgisinternal order by definition`),
    functions: functions.map((row) => ({ ...row, source: normalize(row.source) })),
  };
}

/** Removes the differences of a statement that have no meaning: quotes, spaces and line breaks. */
function normalize(statement: unknown): unknown {
  if (typeof statement !== 'string') return statement;
  return statement.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim();
}
