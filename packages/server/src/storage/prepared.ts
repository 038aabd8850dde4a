import type { Compilable, CompiledQuery, InferResult } from 'kysely';

/**
 * A query whose text is built once, for paths where building costs more than running. It is built
 * with stand-ins for its parameters and run with others in the same order.
 */
export function prepare<Query extends Compilable<unknown>>(
  query: Query,
): (
  ...parameters: readonly (string | number | Uint8Array | null)[]
) => CompiledQuery<RowOf<Query>> {
  const compiled = query.compile() as CompiledQuery<RowOf<Query>>;
  return (...parameters) => ({ ...compiled, parameters });
}

type RowOf<Query extends Compilable<unknown>> =
  InferResult<Query> extends readonly (infer Row)[] ? Row : never;
