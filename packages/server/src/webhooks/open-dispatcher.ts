import type { Logger } from 'pino';
import type { Service } from '../lifecycle.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { decodeError } from '../threads/error-transfer.js';
import { openThread } from '../threads/open-thread.js';
import type { ObservedThread } from '../threads/thread.js';
import { type DispatchSettings, dispatchThread, startDispatcher } from './dispatch-thread.js';
import type { DispatchFigures } from './webhook-dispatcher.js';

export interface OpenDispatcherOptions {
  readonly isThreaded: boolean;
  readonly storage: StorageOptions;
  /** Used when there is no thread. */
  readonly database: Database;
  readonly settings: DispatchSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Dispatcher extends Service {
  /** Makes the dispatcher look for due deliveries now. */
  wake(): void;
  readonly figures: DispatchFigures;
  readonly thread: ObservedThread;
}

// Longer than the second in which the dispatcher waits for attempts in flight, because it then
// records their outcomes.
const stopTimeLimitMs = 3_000;
const timeLimitMs = 10_000;

/**
 * Opens the dispatcher, in a thread or inline. If the thread ends, a new one claims its deliveries
 * again when their leases expire.
 */
export function openDispatcher(options: OpenDispatcherOptions): Dispatcher {
  const { isThreaded, storage, database, settings, clock, logger } = options;
  let last: { readonly figures: DispatchFigures; readonly at: number } = {
    figures: { attempts: [], pending: 0, overdueMs: { answering: 0, slow: 0 }, sinceTurnMs: 0 },
    at: performance.now(),
  };
  const thread = openThread(dispatchThread, {
    isThreaded,
    data: { storage, settings },
    inline: (emit) => startDispatcher(database, settings, clock, emit),
    onEvent: (event) => {
      if ('figures' in event) last = { figures: event.figures, at: performance.now() };
      else logger.error({ err: decodeError(event.error, []) }, event.message);
    },
    timeLimitMs,
    stopTimeLimitMs,
    logger,
  });
  return {
    name: 'webhooks',
    thread,
    start: () => thread.start(),
    stop: () => thread.stop(),
    wake: () => thread.send('wake'),
    get figures() {
      const { figures, at } = last;
      // The age of the last report counts, because a thread that hangs no longer reports.
      return { ...figures, sinceTurnMs: figures.sinceTurnMs + (performance.now() - at) };
    },
  };
}
