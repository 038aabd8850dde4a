import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage, collectGarbageWhenIdle } from '../collect-garbage.js';
import { encodeError, type TransferredError } from './error-transfer.js';
import type { ThreadDefinition, ThreadMethods } from './thread.js';

/** The `workerData` of a worker. */
export interface WorkerStart {
  /** The name of the thread that the worker runs. */
  readonly shortyThread: string;
  readonly data: unknown;
}

/** A message to a worker: a call, or the request to end. */
export type WorkerMessage =
  | 'stop'
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] };

/** A message from a worker. */
export type ThreadMessage =
  | { readonly event: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TransferredError };

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
  definition: ThreadDefinition<Data, Methods, Event>,
  data: Data,
): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error(`thread ${definition.name}: there is no parent thread`);
  // Only Linux has priorities of threads.
  if (definition.priority === 'low' && process.platform === 'linux') {
    // A server that was started with a lower priority may not raise it.
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  }
  const post = (message: ThreadMessage) => port.postMessage(message);
  const code = await definition.start(data, (event) => post({ event }));
  await collectGarbage();
  collectGarbageWhenIdle('worker');
  const inFlight = new Set<Promise<void>>();

  port.on('message', async (message: WorkerMessage) => {
    if (message === 'stop') {
      port.removeAllListeners('message');
      await Promise.all(inFlight);
      await code.stop?.();
      port.close();
      return;
    }
    const { id, method, args } = message;
    const responded = Promise.resolve()
      .then(() => code.methods[method]?.(...args))
      .then((result) => post({ id, result }))
      // Also when the result cannot be cloned.
      .catch((error) => post({ id, error: encodeError(error, definition.errorClasses ?? []) }));
    inFlight.add(responded);
    await responded;
    inFlight.delete(responded);
  });
}
