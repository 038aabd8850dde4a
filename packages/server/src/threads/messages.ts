import type { TransferredError } from './error-transfer.js';

/** A worker's `workerData`. */
export interface WorkerStart {
  /** The name of the thread that the worker was started for. */
  readonly shortyThread: string;
  readonly data: unknown;
}

/** To a worker: a call, or without an id a one-way call. */
export type WorkerMessage =
  | 'stop'
  | {
      readonly id: number | undefined;
      readonly method: string;
      readonly args: readonly unknown[];
    };

/** From a worker. */
export type ThreadMessage =
  | { readonly event: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TransferredError };
