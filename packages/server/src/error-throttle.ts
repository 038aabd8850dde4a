/**
 * Passes an error on once until it clears: further errors with the same message are dropped. An error
 * with another message is passed on.
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

  /** Records a success. The next error is reported, even with the same message. */
  reset(): void {
    this.#lastMessage = undefined;
  }
}
