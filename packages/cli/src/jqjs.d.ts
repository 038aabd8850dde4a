declare module '@michaelhomer/jqjs' {
  /** Compiles a jq program. Throws a string or an error if it is invalid. */
  export function compile(program: string): (input: unknown) => Iterable<unknown>;
}
