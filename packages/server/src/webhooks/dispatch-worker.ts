import { parentPort, workerData } from 'node:worker_threads';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { createDispatcher, type DispatchSettings } from './create-dispatcher.js';

export interface DispatchWorkerData {
  readonly storage: StorageOptions;
  readonly settings: DispatchSettings;
}

/** What the thread is told; it tells its errors, as text. */
export type DispatchCommand = 'wake' | 'stop';

const { storage, settings } = workerData as DispatchWorkerData;
const database = openStorage(storage);
const dispatcher = createDispatcher(database, settings, Date.now, (error) =>
  parentPort?.postMessage(error instanceof Error ? (error.stack ?? error.message) : String(error)),
);

const port = parentPort;
port?.on('message', async (command: DispatchCommand) => {
  if (command === 'wake') {
    dispatcher.wake();
    return;
  }
  port.removeAllListeners();
  await dispatcher.stop();
  await database.close();
  port.close();
});
dispatcher.start();
