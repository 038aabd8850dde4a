import type { Compilable, CompiledQuery, InferResult } from 'kysely';

/**
 * Compiles a query once, for hot paths where building it costs more than running it. The query
 * contains placeholder values; the returned function takes the actual ones in the same order.
 */
export function prepare<Query extends Compilable<unknown>>(
  query: Query,
): (
  ...parameters: readonly (string | number | Uint8Array | null | readonly string[])[]
) => CompiledQuery<RowOf<Query>> {
  const compiled = query.compile() as CompiledQuery<RowOf<Query>>;
  return (...parameters) => ({ ...compiled, parameters });
}

type RowOf<Query extends Compilable<unknown>> =
  InferResult<Query> extends readonly (infer Row)[] ? Row : never;
