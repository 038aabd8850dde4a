import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Schema } from './database.js';

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

/** Returns a function that runs a prepared query, and returns its first row. */
export function prepareOne<Values extends Readonly<Record<string, Parameter>>, Row>(
  read: Kysely<Schema>,
  build: (values: Values) => Compilable<Row>,
): (values: Values) => Promise<Row | undefined> {
  const query = prepare(build);
  return async (values) => (await read.executeQuery(query(values))).rows[0];
}
