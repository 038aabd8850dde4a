// Classes are compared by name and never constructed, so their parameters do not matter.
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type ErrorClass = abstract new (...args: any[]) => Error;

/** An error as a message between threads. */
export interface TransferredError {
  /** The name of the class, if it is one of the thread's `errorClasses`. */
  readonly className: string | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  readonly properties: Readonly<Record<string, string | number | boolean>>;
  readonly cause: TransferredError | undefined;
}

/** Encodes an error for another thread. A structured clone alone loses its class and properties. */
export function encodeError(thrown: unknown, classes: readonly ErrorClass[]): TransferredError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { message, stack } = error;
  const cause = error instanceof AggregateError ? error.errors[0] : error.cause;
  // Such as `code`, `field` or `name`.
  const properties = Object.entries(error).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  return {
    className: classes.find((each) => each === error.constructor)?.name,
    message,
    stack,
    properties: Object.fromEntries(properties),
    cause: cause === undefined ? undefined : encodeError(cause, classes),
  };
}

/** Decodes an error. An error of one of `classes` is an instance of it, without calling the constructor. */
export function decodeError(sent: TransferredError, classes: readonly ErrorClass[]): Error {
  const { className, message, stack, properties, cause } = sent;
  const error = cause
    ? new Error(message, { cause: decodeError(cause, classes) })
    : new Error(message);
  if (stack !== undefined) error.stack = stack;
  const registered = classes.find(({ name }) => name === className);
  if (registered) Object.setPrototypeOf(error, registered.prototype);
  return Object.assign(error, properties);
}
