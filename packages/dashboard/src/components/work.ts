import { signal } from '@preact/signals';
import { describeError } from '../api.js';
import { notify } from './toasts.js';

/** How much a person has changed: lists are read again after each change. */
export const changes = signal(0);

/**
 * Runs the work of a button. Tells that it is done, and offers to undo it, or tells why it was refused.
 * Returns whether it was done.
 */
export async function run(
  work: () => PromiseLike<unknown>,
  done?: string,
  undo?: () => PromiseLike<unknown>,
): Promise<boolean> {
  try {
    await work();
    if (done !== undefined) notify(done, undo && (() => run(undo)));
    return true;
  } catch (error) {
    notify(describeError(error));
    return false;
  } finally {
    changes.value++;
  }
}
