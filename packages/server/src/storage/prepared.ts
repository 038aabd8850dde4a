import { type Compilable, type CompiledQuery, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from './database.js';

type Parameter = string | number | Uint8Array | null | readonly string[];

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Stands for the values of a prepared query by their names. */
const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/**
 * Compiles a query once, for hot paths where building it costs more than running it. `build` gets
 * placeholders, which it must use as parameters only; the returned function takes their values.
 */
export function prepare<Values extends Readonly<Record<string, Parameter>>, Row>(
  build: (values: Values) => Compilable<Row>,
): (values: Values) => CompiledQuery<Row> {
  const compiled = build(placeholders as Values).compile();
  return (values) => ({
    ...compiled,
    parameters: compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name] : parameter,
    ),
  });
}

// These reads leave connections to writes and to other reads.
const batchLimits = { concurrency: 2, maxKeys: 256 };

/**
 * Returns a function that reads the row whose `column` has a key; `query` selects the column as `key`. On
 * PostgreSQL, where a statement costs more than its rows, the calls of one turn of the event loop share a
 * statement.
 */
export function readByKey<Tables, From extends keyof Tables, Row extends { readonly key: string }>(
  { engine, read }: Pick<Database, 'engine' | 'read'>,
  query: SelectQueryBuilder<Tables, From, Row>,
  column: string,
): (key: string) => Promise<Row | undefined> {
  if (engine === 'sqlite') {
    const one = prepare((wanted: { key: string }) =>
      query.where(sql<boolean>`${sql.ref(column)} = ${wanted.key}`),
    );
    return async (key) => (await read.executeQuery(one({ key }))).rows[0];
  }
  const many = prepare((wanted: { keys: readonly string[] }) =>
    query.where(sql<boolean>`${sql.ref(column)} = any(${wanted.keys}::text[])`),
  );
  const readMany = async (keys: readonly string[]) => {
    const { rows } = await read.executeQuery(many({ keys: [...new Set(keys)] }));
    const found = new Map(rows.map((row) => [row.key, row]));
    return keys.map((key) => found.get(key));
  };
  return batchReads({ readMany, ...batchLimits });
}

interface Waiting<Key, Value> {
  readonly key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

export interface BatchReadsOptions<Key, Value> {
  /** Reads several keys by one statement, and returns their values in order. */
  readonly readMany: (keys: readonly Key[]) => Promise<readonly Value[]>;
  /** The maximum number of statements that run at once. Others wait for their connections. */
  readonly concurrency: number;
  readonly maxKeys: number;
}

/**
 * Returns a function that reads one key. The calls of one turn of the event loop, and those that wait
 * for a running statement, share a statement.
 */
export function batchReads<Key, Value>({
  readMany,
  concurrency,
  maxKeys,
}: BatchReadsOptions<Key, Value>): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = [];
  let running = 0;
  const readBatches = async () => {
    // The other calls of this turn wait by then.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxKeys);
      waiting = waiting.slice(maxKeys);
      try {
        const values = await readMany(batch.map(({ key }) => key));
        for (const [at, { resolve }] of batch.entries()) resolve(values[at] as Value);
      } catch (error) {
        // Those that wait fail, too: the timeouts of several statements would add up.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      }
    }
    running -= 1;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (running >= concurrency) return;
      running += 1;
      void readBatches();
    });
}
