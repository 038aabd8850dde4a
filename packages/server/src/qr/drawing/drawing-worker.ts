import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { giveWayAlways } from '../../give-way.js';
import { QrDesignError, type QrDesignField } from './qr-design.js';
import { InlineQrStudio, type QrStudio } from './qr-studio.js';

export type DrawingMethod = Exclude<keyof QrStudio, 'stop'>;

/** A call of a method of `QrStudio`. */
export interface DrawingCall {
  readonly id: number;
  readonly method: DrawingMethod;
  readonly input: readonly unknown[];
}

/** An error that crosses threads loses its class, so a design's own is told by its parts. */
export type DrawingAnswer = { readonly id: number } & (
  | { readonly result: unknown }
  | {
      readonly refusal: {
        readonly field: QrDesignField;
        readonly message: string;
        readonly smallestSize: number | undefined;
      };
    }
  | { readonly fault: Error }
);

giveWayAlways();
// Images are small, and no two are the same: neither threads of its own nor a cache would help.
sharp.concurrency(1);
sharp.cache(false);

const studio = new InlineQrStudio();

parentPort?.on('message', async (message: DrawingCall | 'stop') => {
  if (message === 'stop') {
    parentPort?.close();
    return;
  }
  const { id, method, input } = message;
  const answer = (rest: object) => parentPort?.postMessage({ id, ...rest });
  try {
    const call = studio[method].bind(studio) as (...input: readonly unknown[]) => Promise<unknown>;
    answer({ result: await call(...input) });
  } catch (error) {
    if (!(error instanceof QrDesignError)) return answer({ fault: error });
    const { field, message: text, smallestSize } = error;
    answer({ refusal: { field, message: text, smallestSize } });
  }
});
