import { parentPort, workerData } from 'node:worker_threads';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { createDispatcher, type DispatchSettings } from './create-dispatcher.js';
import type { DispatchFigures } from './webhook-dispatcher.js';

export interface DispatchWorkerData {
  readonly storage: StorageOptions;
  readonly settings: DispatchSettings;
}

export type DispatchCommand = 'wake' | 'stop';

export type DispatchMessage = { readonly fault: string } | { readonly figures: DispatchFigures };

const tellEveryMs = 1_000;

const { storage, settings } = workerData as DispatchWorkerData;
const database = openStorage(storage);
const port = parentPort;
const tell = (message: DispatchMessage) => port?.postMessage(message);
const dispatcher = createDispatcher(database, settings, Date.now, (error) =>
  tell({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
);
const telling = setInterval(() => tell({ figures: dispatcher.figures }), tellEveryMs);
port?.on('message', async (command: DispatchCommand) => {
  if (command === 'wake') {
    dispatcher.wake();
    return;
  }
  port.removeAllListeners();
  clearInterval(telling);
  await dispatcher.stop();
  await database.close();
  port.close();
});
dispatcher.start();
