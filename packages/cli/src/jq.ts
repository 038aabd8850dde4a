import { compile } from '@michaelhomer/jqjs';
import { CliError, UsageError } from './cli-error.js';

/** Compiles a jq expression. The returned function yields its results. Throws a UsageError. */
export function compileJq(expression: string): (data: unknown) => Iterable<unknown> {
  let filter: (data: unknown) => Iterable<unknown>;
  try {
    filter = compile(expression);
  } catch (error) {
    throw new UsageError(`--jq ${expression}: ${messageOf(error)}`);
  }
  return function* run(data) {
    try {
      yield* filter(data);
    } catch (error) {
      throw new CliError(`--jq ${expression}: ${messageOf(error)}`, { cause: error });
    }
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
