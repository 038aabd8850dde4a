import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A modal dialog. It is open while it is rendered; `onClose` is also called for Escape. */
export function Dialog({
  title,
  close = 'Close',
  onClose,
  children,
}: {
  readonly title: string;
  /** What the button says that closes it. */
  readonly close?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  return (
    <dialog
      aria-labelledby={id}
      ref={(dialog) => {
        if (dialog && !dialog.open) dialog.showModal();
      }}
      onClose={onClose}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <form method="dialog">
        <button type="submit" class="other">
          {close}
        </button>
      </form>
    </dialog>
  );
}
