import type { ResourceLimits } from 'node:worker_threads';

// Classes are compared by name and never constructed, so their parameters do not matter.
export type ErrorClass = abstract new (...args: never[]) => Error;

// `call` checks the types of the arguments.
export type ThreadMethods = Readonly<Record<string, (...args: never[]) => unknown>>;

export interface ThreadCode<Methods extends ThreadMethods> {
  readonly methods: Methods;
  /** Releases resources. Called once, after all calls have settled. */
  stop?(): unknown;
}

/**
 * A worker thread. `lists/list-thread.ts` is a short one. Arguments, results and events must
 * survive a structured clone.
 */
export interface ThreadDefinition<Data, Methods extends ThreadMethods, Event> {
  readonly name: string;
  /** The `import.meta.url` of the module that calls `defineThread`. */
  readonly file: string;
  /**
   * `low`: other threads get more of a busy processor. The thread still gets a tenth of a core.
   * Linux only.
   */
  readonly priority?: 'normal' | 'low';
  /** The number of calls that run at once; 1 by default. If a worker ends, all of them are rejected. */
  readonly concurrency?: number;
  /** The classes that errors retain when they reach the caller. Other errors become `Error`. */
  readonly errorClasses?: readonly ErrorClass[];
  readonly resourceLimits?: ResourceLimits;
  /** Starts the code. Runs in the worker, so it can import what the main thread should not load. */
  start(
    data: Data,
    emit: (event: Event) => void,
  ): ThreadCode<Methods> | Promise<ThreadCode<Methods>>;
}

export interface ObservedThread {
  readonly name: string;
  readonly figures: {
    /** The number of workers that ended unexpectedly. */
    readonly failures: number;
    /** The number of errors that the thread's code did not catch, outside a call that could reject. */
    readonly uncaughtErrors: number;
    /** The number of calls that run or wait. */
    readonly callsInFlight: number;
  };
}

export interface Thread<Methods extends ThreadMethods> extends ObservedThread {
  /**
   * Starts the thread, and restarts it whenever it ends. Without this, a call starts the thread, and it
   * ends after a minute without calls.
   */
  start(): void;
  /**
   * Calls a method. Rejects with the method's error or a ThreadError.
   */
  call<Name extends keyof Methods & string>(
    name: Name,
    ...args: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>>;
  /** Ends the thread, by force after the stop's time limit. May be called twice. */
  stop(): Promise<void>;
}

/**
 * A call exceeded its time limit, the worker ended or could not be started, or the thread was stopped before the
 * call settled.
 */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}
