import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { defineThread } from '../threads/define-thread.js';
import { encodeError, type TransferredError } from '../threads/error-transfer.js';
import { createDispatcher, type DispatchSettings } from './create-dispatcher.js';
import type { DispatchFigures } from './webhook-dispatcher.js';

export interface DispatchThreadData {
  readonly storage: StorageOptions;
  readonly settings: DispatchSettings;
}

export type DispatchEvent =
  | { readonly error: TransferredError }
  | { readonly figures: DispatchFigures };

const reportEveryMs = 1_000;

/** Starts a dispatcher that reports its figures and errors as events. */
export function startDispatcher(
  database: Database,
  settings: DispatchSettings,
  clock: Clock,
  emit: (event: DispatchEvent) => void,
) {
  const dispatcher = createDispatcher(database, settings, clock, (error) =>
    emit({ error: encodeError(error, []) }),
  );
  const reporting = setInterval(() => emit({ figures: dispatcher.figures }), reportEveryMs);
  reporting.unref();
  dispatcher.start();
  return {
    methods: { wake: () => dispatcher.wake() },
    async stop(): Promise<void> {
      clearInterval(reporting);
      await dispatcher.stop();
    },
  };
}

/** Delivers events, so that redirects do not wait for it. */
export const dispatchThread = defineThread({
  name: 'webhooks',
  file: import.meta.url,
  lifetime: 'background',
  start({ storage, settings }: DispatchThreadData, emit: (event: DispatchEvent) => void) {
    const database = openStorage(storage);
    const { methods, stop } = startDispatcher(database, settings, Date.now, emit);
    return {
      methods,
      async stop(): Promise<void> {
        await stop();
        await database.close();
      },
    };
  },
});
