import type { Logger } from 'pino';
import type { Service } from '../lifecycle.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { decodeError } from '../threads/error-transfer.js';
import { openThread } from '../threads/open-thread.js';
import type { ObservedThread } from '../threads/thread.js';
import type { DispatchSettings } from './create-dispatcher.js';
import { dispatchThread, startDispatcher } from './dispatch-thread.js';
import type { DispatchFigures } from './webhook-dispatcher.js';

export interface OpenDispatcherOptions {
  readonly isThreaded: boolean;
  readonly storage: StorageOptions;
  /** Read and written when there is no thread. */
  readonly database: Database;
  readonly settings: DispatchSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Dispatcher extends Service {
  /** Says that a delivery may be due. */
  wake(): void;
  readonly figures: DispatchFigures;
  readonly thread: ObservedThread;
}

// The dispatcher waits a second for attempts under way, and records their outcomes.
const stopTimeLimitMs = 3_000;
const timeLimitMs = 10_000;

/** Opens the dispatcher. A new thread resumes what a lost one had claimed when the leases expire. */
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
      else logger.error({ err: decodeError(event.error, []) }, 'webhook dispatch failed');
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
      // A thread that has stopped reporting makes no turns either.
      return { ...figures, sinceTurnMs: figures.sinceTurnMs + (performance.now() - at) };
    },
  };
}
