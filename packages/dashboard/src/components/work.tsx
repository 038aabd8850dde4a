import { signal } from '@preact/signals';
import { describeError } from '../texts.js';
import { Button } from './elements.js';

interface Toast {
  readonly text: string;
  /** Undoes what the text says. */
  readonly undo: (() => unknown) | undefined;
}

const shownForMs = 8_000;
// People who use a keyboard or a screen reader need longer to reach it.
const undoForMs = 30_000;
const toasts = signal<readonly Toast[]>([]);

/** Tells what has been done, and offers to undo it. */
export function notify(text: string, undo?: () => unknown): void {
  const toast = { text, undo };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => remove(toast), undo ? undoForMs : shownForMs);
}

function remove(toast: Toast): void {
  toasts.value = toasts.value.filter((each) => each !== toast);
}

export function Toasts() {
  const undo = (toast: Toast) => {
    remove(toast);
    toast.undo?.();
  };
  return (
    <div class="toasts" role="status">
      {toasts.value.map((toast) => (
        <p key={toast} class="box row">
          {toast.text}
          {toast.undo && <Button onClick={() => undo(toast)}>Undo</Button>}
        </p>
      ))}
    </div>
  );
}

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
