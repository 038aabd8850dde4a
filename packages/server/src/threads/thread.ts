import type { ResourceLimits } from 'node:worker_threads';
import type { ErrorClass } from './error-transfer.js';

// Any function fits; the types of its arguments are checked where it is called.
// biome-ignore lint/suspicious/noExplicitAny: a method's own arguments are its own.
export type ThreadMethods = Readonly<Record<string, (...args: any[]) => unknown>>;

/** What a definition's `start` returns: the methods, and how to close what they use. */
export interface ThreadCode<Methods extends ThreadMethods> {
  readonly methods: Methods;
  /** Called once, after the calls in flight have settled. */
  stop?(): unknown;
}

/**
 * Describes the code of one worker thread.
 *
 * To add a thread, write one file that ends in `-thread.ts`:
 *
 * ```ts
 * export const listMethods = (database: Database) => ({
 *   search: (text: string) => searchUrls(database, text),
 * });
 *
 * export const listThread = defineThread({
 *   name: 'lists',
 *   file: import.meta.url,
 *   priority: 'idle',
 *   errorClasses: [StorageUnavailableError],
 *   start(storage: StorageOptions) {
 *     const database = openStorage(storage);
 *     return { methods: listMethods(database), stop: () => database.close() };
 *   },
 * });
 * ```
 *
 * and open it where it is used:
 *
 * ```ts
 * const lists = openThread(listThread, {
 *   isThreaded,
 *   data: storage,
 *   inline: () => ({ methods: listMethods(database) }),
 *   timeLimitMs: 20_000,
 *   logger,
 * });
 * await lists.call('search', 'a text');
 * await lists.stop();
 * ```
 *
 * Arguments, results and events must survive a structured clone. A call may run twice when its
 * thread ends, so methods must be safe to repeat.
 */
export interface ThreadDefinition<Data, Methods extends ThreadMethods, Event> {
  readonly name: string;
  /** The `import.meta.url` of the module that calls `defineThread`. */
  readonly file: string;
  /**
   * `on-demand` (default): the first call starts the thread, and an idle thread does not keep the
   * process alive. `background`: `start` starts it, and it is restarted whenever it ends.
   */
  readonly lifetime?: 'on-demand' | 'background';
  /** `idle` runs only while no other thread wants the processor. */
  readonly priority?: 'normal' | 'idle';
  /** Errors that keep their class when they cross to the caller. Others become `Error`. */
  readonly errorClasses?: readonly ErrorClass[];
  readonly resourceLimits?: ResourceLimits;
  /** Runs inside the thread. */
  start(data: Data, emit: (event: Event) => void): ThreadCode<Methods>;
}

type MethodName<Methods> = keyof Methods & string;

/** What those need who watch threads and do not call them. */
export interface ObservedThread {
  readonly name: string;
  readonly figures: ThreadFigures;
  /** Ends the thread by force; false when native code still holds it after half a second. */
  terminate(): Promise<boolean>;
}

/** The caller's side of a thread, or of the same code in this thread. */
export interface Thread<Methods extends ThreadMethods> extends ObservedThread {
  /** Starts a background thread; does nothing for one that starts on demand. */
  start(): void;
  /**
   * Calls a method. Rejects with the method's error, a ThreadTimeoutError, a ThreadEndedError when
   * two threads ended during the call, or a ThreadStoppedError.
   */
  call<Name extends MethodName<Methods>>(
    name: Name,
    ...args: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>>;
  /** Calls a method without waiting for it. Does nothing while no thread runs. */
  send<Name extends MethodName<Methods>>(name: Name, ...args: Parameters<Methods[Name]>): void;
  /** Ends the thread within the stop's time limit, by force if need be. May be called twice. */
  stop(): Promise<void>;
}

export interface ThreadFigures {
  /** Threads that ended without being asked to. */
  readonly failures: number;
  /** Calls that exceeded their time limit. */
  readonly timeouts: number;
  /** Errors that the thread's code did not catch, outside of a call that could reject with them. */
  readonly uncaughtErrors: number;
  readonly callsInFlight: number;
}

/** A call exceeded its time limit. Its thread was terminated. */
export class ThreadTimeoutError extends Error {
  override readonly name = 'ThreadTimeoutError';
}

/** Two threads ended during a call, or no thread could be started for it. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
}

/** The thread was stopped before the call had finished. */
export class ThreadStoppedError extends Error {
  override readonly name = 'ThreadStoppedError';
}
