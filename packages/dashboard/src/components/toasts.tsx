import { signal } from '@preact/signals';

interface Toast {
  readonly id: number;
  readonly text: string;
  /** Undoes what the text says. */
  readonly undo?: (() => Promise<void>) | undefined;
}

const shownForMs = 8_000;
const toasts = signal<readonly Toast[]>([]);
let count = 0;

/** Tells what has been done, and offers to undo it. */
export function notify(text: string, undo?: () => Promise<void>): void {
  const id = count++;
  toasts.value = [...toasts.value, { id, text, undo }];
  setTimeout(() => remove(id), shownForMs);
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, undo }) => (
        <p key={id}>
          {text}
          {undo && (
            <button
              type="button"
              onClick={() => {
                remove(id);
                undo().catch((error: Error) => notify(error.message));
              }}
            >
              Undo
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
