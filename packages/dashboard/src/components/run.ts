import { describeError } from '../api.js';
import { notify } from './toasts.js';

/** Runs the work of a button, and tells when it is refused. Returns whether it was done. */
export async function run(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    notify(describeError(error));
    return false;
  }
}
