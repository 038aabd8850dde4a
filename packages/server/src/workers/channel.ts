/** Questions by name, each with one input and one output that survive JSON. */
type Questions<Q> = { readonly [Name in keyof Q]: (input: never) => unknown };
type Input<F> = F extends (input: infer I) => unknown ? I : never;
type Output<F> = F extends (input: never) => infer O ? Awaited<O> : never;

/** Carries messages to another process and back, in order. */
export interface Line {
  send(message: unknown, onSent: (error: Error | null) => void): void;
  onMessage(listener: (message: unknown) => void): void;
}

type Message =
  /** Without an id, nobody waits for the answer. */
  | { readonly question: string; readonly id?: number; readonly input: unknown }
  | { readonly answer: number; readonly output: unknown }
  | { readonly answer: number; readonly fault: string };

interface Asked {
  resolve(output: unknown): void;
  reject(fault: Error): void;
}

/** The other side ended before it answered. */
export class ChannelClosedError extends Error {
  override readonly name = 'ChannelClosedError';
}

/** Questions and answers between two processes, either of which may ask. */
export class Channel<Theirs extends Questions<Theirs>, Ours extends Questions<Ours>> {
  readonly #line: Line;
  readonly #answers: ReadonlyMap<string, (input: never) => unknown>;
  readonly #onError: (error: unknown) => void;
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #isClosed = false;

  /** `onError` is told what goes wrong where nobody waits for an answer. */
  constructor(line: Line, answers: Ours, onError: (error: unknown) => void) {
    this.#line = line;
    this.#answers = new Map(Object.entries<(input: never) => unknown>(answers));
    this.#onError = onError;
    line.onMessage((message) => void this.#receive(message as Message));
  }

  /** Rejects with the fault of the other side, or with a ChannelClosedError. */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    input: Input<Theirs[Name]>,
  ): Promise<Output<Theirs[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new ChannelClosedError(`${name} was asked of an ended process`);
      this.#lastId += 1;
      this.#asked.set(this.#lastId, { resolve: resolve as Asked['resolve'], reject });
      this.#send({ question: name, id: this.#lastId, input });
    });
  }

  /** Asks without waiting; a process that has ended need not be told. */
  tell<Name extends keyof Theirs & string>(name: Name, input: Input<Theirs[Name]>): void {
    this.#send({ question: name, input });
  }

  /** Nothing more will come: whoever waits for an answer is told so. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#asked.values()) {
      reject(new ChannelClosedError('the process ended before it answered'));
    }
    this.#asked.clear();
  }

  #send(message: Message): void {
    if (this.#isClosed) return;
    this.#line.send(message, (error) => {
      if (error) this.close();
    });
  }

  async #receive(message: Message): Promise<void> {
    if ('question' in message) {
      const { question, id, input } = message;
      try {
        const output = await this.#answers.get(question)?.(input as never);
        if (id !== undefined) this.#send({ answer: id, output });
      } catch (error) {
        if (id === undefined) this.#onError(error);
        else this.#send({ answer: id, fault: error instanceof Error ? error.message : `${error}` });
      }
      return;
    }
    const asked = this.#asked.get(message.answer);
    this.#asked.delete(message.answer);
    if ('fault' in message) asked?.reject(new Error(message.fault));
    else asked?.resolve(message.output);
  }
}
