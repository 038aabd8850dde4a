// Constructors differ in their parameters, and none of them is called here.
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type ErrorClass = abstract new (...args: any[]) => Error;

/** An error as a message between threads. */
export interface TransferredError {
  /** The class's name when it is registered. */
  readonly className: string | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  readonly properties: Readonly<Record<string, string | number | boolean>>;
  readonly cause: TransferredError | undefined;
}

const maxCauses = 4;

/** Describes an error for another thread; structured clone alone would lose its class and fields. */
export function encodeError(
  thrown: unknown,
  classes: readonly ErrorClass[],
  depth = 0,
): TransferredError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const hasCause = error.cause !== undefined && depth < maxCauses;
  return {
    className: classes.find((each) => each === error.constructor)?.name,
    message: error.message,
    stack: error.stack,
    properties: plainProperties(error),
    cause: hasCause ? encodeError(error.cause, classes, depth + 1) : undefined,
  };
}

/** Restores an error: one of a registered class is an instance of it again, without its constructor. */
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

/** An error's own fields, such as `code`, `field` or `name`. */
function plainProperties(error: Error): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(error).filter(
      (entry): entry is [string, string | number | boolean] =>
        ['string', 'number', 'boolean'].includes(typeof entry[1]) && entry[0] !== 'message',
    ),
  );
}
