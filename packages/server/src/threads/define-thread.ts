import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage, collectGarbageWhenIdle } from '../collect-garbage.js';
import type { ErrorClass, ThreadDefinition, ThreadMethods } from './thread.js';

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

/** An error with what a structured clone loses. */
interface TransferredError {
  /** Has the message, the stack and the cause. */
  readonly error: Error;
  /** The name of the class, if it is one of the thread's `errorClasses`. */
  readonly className: string | undefined;
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
  { name, priority, errorClasses = [], start }: ThreadDefinition<Data, Methods, Event>,
  data: Data,
): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error(`thread ${name}: there is no parent thread`);
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
      .catch((error) => post({ id, error: encodeError(error, errorClasses) }));
    running.add(responded);
    await responded;
    running.delete(responded);
  });
}

function encodeError(thrown: unknown, classes: readonly ErrorClass[]): TransferredError {
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
