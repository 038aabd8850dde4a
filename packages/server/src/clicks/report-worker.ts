import { parentPort, workerData } from 'node:worker_threads';
import { giveWayAlways } from '../give-way.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { ClickReader } from './click-reader.js';
import type { ClickReports } from './click-reports.js';

/** A call of a method of `ClickReports`. */
export interface ReportCall {
  readonly id: number;
  readonly method: keyof ClickReports;
  readonly input: readonly unknown[];
}

export type ReportAnswer = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly fault: Error }
);

giveWayAlways();

const database = openStorage(workerData as StorageOptions);
const reader = new ClickReader(database);

parentPort?.on('message', async (message: ReportCall | 'stop') => {
  if (message === 'stop') {
    await database.close();
    parentPort?.close();
    return;
  }
  const { id, method, input } = message;
  const answer = (rest: object) => parentPort?.postMessage({ id, ...rest });
  try {
    const call = reader[method].bind(reader) as (...input: readonly unknown[]) => Promise<unknown>;
    answer({ result: await call(...input) });
  } catch (error) {
    answer({ fault: error });
  }
});
