export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
  resolve(result: unknown): void;
  reject(error: Error): void;
  /** The number of workers that ended during the call. */
  lostWorkers: number;
  timer: NodeJS.Timeout | undefined;
}

// A call may lose one worker, because that worker may have ended for an unrelated reason.
export const maxLostWorkers = 2;

/** The calls of one thread: those that wait, and those that the worker runs. */
export class CallQueue {
  readonly #waiting: Call[] = [];
  readonly #running = new Map<number, Call>();
  #lastId = 0;

  /** The number of calls that have not settled. */
  get size(): number {
    return this.#waiting.length + this.#running.size;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  add(call: Pick<Call, 'method' | 'args' | 'resolve' | 'reject'>): void {
    this.#lastId += 1;
    this.#waiting.push({ ...call, id: this.#lastId, lostWorkers: 0, timer: undefined });
  }

  /**
   * Returns the first waiting call if it may run now. A call that has lost a worker runs alone: if
   * the next worker ends, too, the call is the cause.
   */
  peek(): Call | undefined {
    const [call] = this.#waiting;
    if (!call || !this.isRunning) return call;
    const runsAlone = [...this.#running.values()].some(({ lostWorkers }) => lostWorkers > 0);
    return call.lostWorkers > 0 || runsAlone ? undefined : call;
  }

  /** Moves the first waiting call to the running ones. */
  start(): void {
    const call = this.#waiting.shift();
    if (call) this.#running.set(call.id, call);
  }

  /** Removes a running call and returns it; undefined when it has already settled. */
  settle(id: number): Call | undefined {
    const call = this.#running.get(id);
    this.#running.delete(id);
    clearTimeout(call?.timer);
    return call;
  }

  /** Requeues the running calls after their worker ended. Returns those that lost too many workers. */
  requeueRunning(): Call[] {
    const calls = this.#settleRunning();
    for (const call of calls) call.lostWorkers += 1;
    this.#waiting.unshift(...calls.filter(({ lostWorkers }) => lostWorkers < maxLostWorkers));
    return calls.filter(({ lostWorkers }) => lostWorkers >= maxLostWorkers);
  }

  rejectWaiting(error: Error): void {
    for (const call of this.#waiting.splice(0)) call.reject(error);
  }

  rejectAll(error: Error): void {
    for (const call of this.#settleRunning()) call.reject(error);
    this.rejectWaiting(error);
  }

  #settleRunning(): Call[] {
    return [...this.#running.keys()].map((id) => this.settle(id) as Call);
  }
}
