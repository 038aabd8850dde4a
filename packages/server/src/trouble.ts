/**
 * Tells of trouble once while it lasts: tries are many, and logs are read by people. Another fault is
 * other trouble.
 */
export class Trouble {
  readonly #tell: (error: unknown) => void;
  #told: string | undefined;

  constructor(tell: (error: unknown) => void) {
    this.#tell = tell;
  }

  note(error: unknown): void {
    const fault = error instanceof Error ? error.message : String(error);
    if (fault === this.#told) return;
    this.#told = fault;
    this.#tell(error);
  }

  hasPassed(): void {
    this.#told = undefined;
  }
}
