/**
 * Reports an error once until it clears. A retry that fails with the same message is not reported
 * again; a different message is.
 */
export class ErrorThrottle {
  readonly #onError: (error: unknown) => void;
  #lastMessage: string | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.#lastMessage) return;
    this.#lastMessage = message;
    this.#onError(error);
  }

  /** Records a success: the next error is reported, whatever its message is. */
  reset(): void {
    this.#lastMessage = undefined;
  }
}
