import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog, FormError, useSubmit } from './form.js';

interface Question {
  readonly title: string;
  /** What the button does, such as `Remove`. */
  readonly action: string;
  readonly work: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** Asks before something that cannot be undone. The children say what will be lost. */
export function Confirm({
  title,
  action,
  work,
  onClose,
  children,
}: Question & { readonly onClose: () => void }) {
  const { submit, errors, isBusy } = useSubmit(async () => {
    await work();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <p>{children}</p>
        <FormError errors={errors} />
        <div class="row">
          <button type="submit" disabled={isBusy}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A button that asks first. `label` is its name for those who do not see its row. */
export function ConfirmButton({ label, ...question }: Question & { readonly label: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="plain" aria-label={label} onClick={() => setOpen(true)}>
        {question.action}
      </button>
      {isOpen && <Confirm {...question} onClose={() => setOpen(false)} />}
    </>
  );
}
