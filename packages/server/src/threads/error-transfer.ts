// Classes are compared by name and never constructed, so their parameters do not matter.
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type ErrorClass = abstract new (...args: any[]) => Error;

/** An error with what a structured clone loses. */
export interface TransferredError {
  /** Has the message, the stack and the cause. */
  readonly error: Error;
  /** The name of the class, if it is one of the thread's `errorClasses`. */
  readonly className: string | undefined;
  /** Such as `code`, `field` or `name`. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Encodes an error for another thread. */
export function encodeError(thrown: unknown, classes: readonly ErrorClass[]): TransferredError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const properties = Object.entries(error).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  const className = classes.find((each) => each === error.constructor)?.name;
  // The clone of a DOMException has no message.
  const plain = Object.assign(new Error(error.message, { cause: error.cause }), {
    stack: error.stack,
  });
  return { error: plain, className, properties: Object.fromEntries(properties) };
}

/** Decodes an error. An error of one of `classes` is an instance of it, without calling the constructor. */
export function decodeError(sent: TransferredError, classes: readonly ErrorClass[]): Error {
  const registered = classes.find(({ name }) => name === sent.className);
  if (registered) Object.setPrototypeOf(sent.error, registered.prototype);
  return Object.assign(sent.error, sent.properties);
}
