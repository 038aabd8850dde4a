import { constants, getPriority, setPriority } from 'node:os';
import { types } from 'node:util';
import { type MessagePort, parentPort, type ResourceLimits, workerData } from 'node:worker_threads';
import { collectGarbage, collectGarbageWhenIdle } from '../collect-garbage.js';

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
   * Calls a method. Rejects with the method's error, or with a ThreadError if the worker ends, for which all
   * calls in flight are rejected. Callers limit how many these are.
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

export interface WorkerStart {
  /** The name of the thread that the worker runs. */
  readonly shortyThread: string;
  readonly data: unknown;
}

/** A message to a worker: a call, or the request to end. */
export type WorkerMessage =
  | 'stop'
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] };

export type ThreadMessage =
  | { readonly event: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TransferredError };

/** An error with what a structured clone of it loses. */
interface TransferredError {
  readonly error: Error;
  readonly className: string;
  /** Such as `code`, `field` or `name`. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Defines a thread, and runs its code when this module is loaded in the thread's worker. */
export function defineThread<Data, Methods extends ThreadMethods, Event = never>(
  definition: ThreadDefinition<Data, Methods, Event>,
): ThreadDefinition<Data, Methods, Event> {
  const started = workerData as WorkerStart | undefined;
  if (started?.shortyThread === definition.name) {
    // The module that calls this function must be evaluated first.
    setImmediate(() => serve(definition, started.data as Data));
  }
  return definition;
}

async function serve<Data, Methods extends ThreadMethods, Event>(
  { priority, start }: ThreadDefinition<Data, Methods, Event>,
  data: Data,
): Promise<void> {
  const port = parentPort as MessagePort;
  // Only Linux has priorities of threads.
  if (priority === 'low' && process.platform === 'linux') {
    // A server that was started with a lower priority may not raise it.
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  }
  const post = (message: ThreadMessage) => port.postMessage(message);
  const code = await start(data, (event) => post({ event }));
  await collectGarbage();
  collectGarbageWhenIdle('worker');
  const running = new Set<Promise<void>>();
  port.on('message', async (message: WorkerMessage) => {
    if (message === 'stop') {
      await Promise.all(running);
      await code.stop?.();
      port.close();
      return;
    }
    const { id, method, args } = message;
    const responded = Promise.resolve()
      .then(() => code.methods[method]?.(...(args as never[])))
      .then((result) => post({ id, result }))
      // Also when the result cannot be cloned.
      .catch((error) => post({ id, error: encodeError(error) }));
    running.add(responded);
    await responded;
    running.delete(responded);
  });
}

function encodeError(thrown: unknown): TransferredError {
  const known = thrown instanceof Error ? thrown : new Error(String(thrown));
  // Others, such as those of better-sqlite3, would be cloned as plain objects.
  const isNative: boolean = types.isNativeError(known);
  const error = isNative ? known : Object.assign(new Error(known.message), { stack: known.stack });
  const properties = Object.entries(known).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  const className = known.constructor.name;
  return { error, className, properties: Object.fromEntries(properties) };
}

/** Decodes an error. One of `classes` becomes an instance of its class, without calling the constructor. */
export function decodeError(
  { error, className, properties }: TransferredError,
  classes: readonly ErrorClass[],
): Error {
  const registered = classes.find(({ name }) => name === className);
  if (registered) Object.setPrototypeOf(error, registered.prototype);
  return Object.assign(error, properties);
}
