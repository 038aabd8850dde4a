import { InlineThread } from './inline-thread.js';
import type { Thread, ThreadCode, ThreadDefinition, ThreadMethods } from './thread.js';
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
  const { isThreaded, inline, logger, onEvent = () => {} } = options;
  if (isThreaded) return new WorkerThread(definition, options);
  return new InlineThread({ name: definition.name, start: () => inline(onEvent), logger });
}
