import { ValidationError } from '@shorty/sdk';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { describeError } from '../api.js';

interface FieldProps {
  readonly label: string;
  /** What to enter, below the field. */
  readonly hint?: string | undefined;
  /** Why the value was refused. */
  readonly error?: string | undefined;
}

/**
 * A text field with its label, hint and error. With `onChange`, it keeps what somebody types until the value
 * is complete, however often the screen is rendered meanwhile.
 */
export function Field({
  label,
  hint,
  error,
  id: given,
  onChange,
  ...input
}: FieldProps & Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'id'> & { readonly id?: string }) {
  const generated = useId();
  const id = given ?? generated;
  const [draft, setDraft] = useState<string>();
  const typing = onChange && {
    value: draft ?? input.value,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setDraft(currentTarget.value),
    // When the value is complete: preact/compat would call `onChange` at each key.
    onChangeCapture: (event: JSX.TargetedEvent<HTMLInputElement>) => {
      onChange(event);
      setDraft(undefined);
    },
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        {...typing}
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-note`}
      />
      <Note id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

/** A choice with its label. `options` are pairs of a value and what people read. */
export function Select({
  label,
  hint,
  error,
  options,
  ...select
}: FieldProps & { readonly options: readonly (readonly [string, string])[] } & Omit<
    JSX.SelectHTMLAttributes<HTMLSelectElement>,
    'label'
  >) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select {...select} id={id} aria-describedby={`${id}-note`}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <Note id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

/** A checkbox with its label. */
export function Check({
  label,
  ...input
}: { readonly label: string } & Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'label'>) {
  return (
    <label class="check">
      <input {...input} type="checkbox" />
      {label}
    </label>
  );
}

function Note({ id, hint, error }: Pick<FieldProps, 'hint' | 'error'> & { readonly id: string }) {
  if (error !== undefined) {
    return (
      <p class="error" id={id}>
        {error}
      </p>
    );
  }
  return (
    <p class="hint" id={id}>
      {hint}
    </p>
  );
}

/** What the server refused, by field; `form` has what belongs to no field that is shown. */
export interface FormErrors {
  readonly form?: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

const noErrors: FormErrors = { fields: {} };

/** Runs the work of a form, and shows its errors beside the fields. */
export function useSubmit(work: () => Promise<void>) {
  const [errors, setErrors] = useState(noErrors);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setErrors(noErrors);
    try {
      await work();
    } catch (error) {
      setErrors(errorsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { submit, errors, isBusy };
}

function errorsOf(error: unknown): FormErrors {
  const details = error instanceof ValidationError ? (error.details ?? []) : [];
  const fields = Object.fromEntries(details.map(({ path, message }) => [path, message]));
  return { form: describeError(error), fields };
}

/** The error of a form as a whole. */
export function FormError({ errors }: { readonly errors: FormErrors }) {
  return errors.form === undefined ? null : (
    <p class="error" role="alert">
      {errors.form}
    </p>
  );
}

/** A modal dialog. It is open while it is rendered; `onClose` is also called for Escape. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
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
    </dialog>
  );
}
