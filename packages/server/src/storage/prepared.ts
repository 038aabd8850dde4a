import {
  type Compilable,
  type CompiledQuery,
  type Kysely,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import { yieldToEventLoop } from '../yield-to-event-loop.js';
import type { Schema, Value } from './database.js';
import { isPostgres } from './statements.js';

/** Stands for the values of a prepared query by their names. */
const placeholders = new Proxy({}, { get: (_, name) => Symbol(String(name)) });

/**
 * Compiles a query once, for hot paths where building it costs more than running it. `build` gets
 * placeholders, which it must use as parameters only; the returned function takes their values.
 */
export function prepare<Values extends Readonly<Record<string, Value>>, Row>(
  build: (values: Values) => Compilable<Row>,
): (values: Values) => CompiledQuery<Row> {
  const compiled = build(placeholders as Values).compile();
  return (values) => ({
    ...compiled,
    parameters: compiled.parameters.map((parameter) =>
      typeof parameter === 'symbol' ? values[parameter.description ?? ''] : parameter,
    ),
  });
}

// These reads leave connections to writes and to other reads.
const maxStatements = 2;
const maxRows = 256;

interface Waiting<Row> {
  readonly key: readonly string[];
  resolve(row: Row | undefined): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that reads the row with these values in `columns`, which the query selects. The calls
 * of one turn of the event loop, and those that wait for a running statement, share a statement: on
 * PostgreSQL, a statement costs more than its rows.
 */
export function rowReader<Tables, From extends keyof Tables, Row>(
  read: Kysely<Schema>,
  query: SelectQueryBuilder<Tables, From, Row>,
  columns: readonly (keyof Row & string)[],
): (...key: readonly string[]) => Promise<Row | undefined> {
  const refs = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(columns.map((_, at) => sql`value ->> ${sql.lit(at)}`));
  const select = prepare(({ json }: { json: string }) => {
    // For an array, PostgreSQL estimates ten elements, and uses an index.
    const keys = isPostgres(read)
      ? sql`unnest(array(select json_array_elements(${json}::json))) as key(value)`
      : sql`json_each(${json})`;
    return query.where(sql<boolean>`(${refs}) in (select ${values} from ${keys})`);
  });
  let waiting: Waiting<Row>[] = [];
  let running = 0;
  const readAll = async () => {
    // The other calls of this turn wait by then.
    await yieldToEventLoop();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxRows);
      waiting = waiting.slice(maxRows);
      try {
        const keys = new Map(batch.map(({ key }) => [String(key), key]));
        const json = JSON.stringify([...keys.values()]);
        const { rows } = await read.executeQuery(select({ json }));
        const found = new Map(rows.map((row) => [String(columns.map((name) => row[name])), row]));
        for (const { key, resolve } of batch) resolve(found.get(String(key)));
      } catch (error) {
        // Those that wait fail, too: the timeouts of several statements would add up.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      }
    }
    running -= 1;
  };
  return (...key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (running >= maxStatements) return;
      running += 1;
      void readAll();
    });
}
