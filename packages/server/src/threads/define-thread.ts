import { parentPort, workerData } from 'node:worker_threads';
import { encodeError } from './error-transfer.js';
import { lowerThreadPriority } from './lower-thread-priority.js';
import type { ThreadMessage, WorkerMessage, WorkerStart } from './messages.js';
import type { ThreadDefinition, ThreadMethods } from './thread.js';

/** Declares a thread's code, and runs it when this is the worker that was started for it. */
export function defineThread<Data, Methods extends ThreadMethods, Event = never>(
  definition: ThreadDefinition<Data, Methods, Event>,
): ThreadDefinition<Data, Methods, Event> {
  const started = workerData as WorkerStart | undefined;
  if (started?.shortyThread === definition.name) {
    // After the module that defines it has been evaluated.
    setImmediate(() => serve(definition, started.data as Data));
  }
  return definition;
}

function serve<Data, Methods extends ThreadMethods, Event>(
  definition: ThreadDefinition<Data, Methods, Event>,
  data: Data,
): void {
  const port = parentPort;
  if (!port) throw new Error(`thread ${definition.name}: there is no parent thread`);
  if (definition.priority === 'idle') lowerThreadPriority();
  const tell = (message: ThreadMessage) => port.postMessage(message);
  const code = definition.start(data, (event) => tell({ event }));
  const inFlight = new Set<Promise<void>>();

  async function answer(id: number, method: string, args: readonly unknown[]): Promise<void> {
    try {
      tell({ id, result: await code.methods[method]?.(...args) });
    } catch (error) {
      // A result that cannot be cloned ends here, too.
      tell({ id, error: encodeError(error, definition.errorClasses ?? []) });
    }
  }

  port.on('message', async (message: WorkerMessage) => {
    if (message === 'stop') {
      port.removeAllListeners('message');
      await Promise.all(inFlight);
      await code.stop?.();
      port.close();
      return;
    }
    const { id, method, args } = message;
    if (id === undefined) {
      // Nobody waits for the outcome: an error here is an uncaught error of the thread.
      await code.methods[method]?.(...args);
      return;
    }
    const answered = answer(id, method, args);
    inFlight.add(answered);
    await answered;
    inFlight.delete(answered);
  });
}
