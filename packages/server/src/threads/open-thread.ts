import { yieldToEventLoop } from '../yield-to-event-loop.js';
import {
  type Thread,
  type ThreadCode,
  type ThreadDefinition,
  type ThreadMethods,
  ThreadStoppedError,
} from './thread.js';
import { WorkerThread, type WorkerThreadOptions } from './worker-thread.js';

export interface OpenThreadOptions<Data, Methods extends ThreadMethods, Event>
  extends WorkerThreadOptions<Data, Event> {
  /** When false, the code runs in the calling thread. True needs a build: workers load compiled files. */
  readonly isThreaded: boolean;
  /** Starts the same code in the calling thread, with the database that is open there. */
  readonly inline: (emit: (event: Event) => void) => ThreadCode<Methods>;
}

/** Opens a worker thread, or runs its code in the calling thread. */
export function openThread<Data, Methods extends ThreadMethods, Event>(
  definition: ThreadDefinition<Data, Methods, Event>,
  options: OpenThreadOptions<Data, Methods, Event>,
): Thread<Methods> {
  const { isThreaded, inline, onEvent = () => {} } = options;
  const thread: Thread<ThreadMethods> = isThreaded
    ? new WorkerThread(definition, options)
    : openInlineThread(definition.name, () => inline(onEvent));
  return thread as Thread<Methods>;
}

/**
 * Runs a thread's code in the calling thread, for servers in memory and inside other programs. It has
 * no time limits, because nothing can interrupt the calling thread.
 */
function openInlineThread(
  name: string,
  startCode: () => ThreadCode<ThreadMethods>,
): Thread<ThreadMethods> {
  const inFlight = new Set<Promise<unknown>>();
  let code: ThreadCode<ThreadMethods> | undefined;
  let stopping: Promise<void> | undefined;

  async function stopCode(): Promise<void> {
    await Promise.allSettled(inFlight);
    await code?.stop?.();
  }

  return {
    name,
    get figures() {
      return { failures: 0, timeouts: 0, uncaughtErrors: 0, callsInFlight: inFlight.size };
    },
    start() {
      if (!stopping) code ??= startCode();
    },
    call(method, ...args) {
      if (stopping) return Promise.reject(new ThreadStoppedError(name));
      // Many consecutive calls must not block the event loop.
      const outcome = yieldToEventLoop().then(() => {
        code ??= startCode();
        return code.methods[method]?.(...args);
      });
      inFlight.add(outcome);
      return outcome.finally(() => inFlight.delete(outcome));
    },
    stop() {
      stopping ??= stopCode();
      return stopping;
    },
  };
}
