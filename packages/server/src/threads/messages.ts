import type { TransferredError } from './error-transfer.js';

/** The `workerData` of a worker. */
export interface WorkerStart {
  /** The name of the thread that the worker runs. */
  readonly shortyThread: string;
  readonly data: unknown;
}

/** A message to a worker. A call without an id has no response. */
export type WorkerMessage =
  | 'stop'
  | {
      readonly id: number | undefined;
      readonly method: string;
      readonly args: readonly unknown[];
    };

/** A message from a worker. */
export type ThreadMessage =
  | { readonly event: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TransferredError };
