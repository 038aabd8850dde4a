import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { type Draft, draftOf, type Entry, type FieldKind } from '../field-values.js';
import { Button } from './elements.js';

/** A value and what people read. */
export type Option = readonly [value: string, text: string];

export const optionsOf = (values: readonly string[]): readonly Option[] =>
  values.map((value) => [value, value]);

/** What the parts of a form can read and set while somebody fills it in. */
export interface Filling {
  readonly draft: Draft;
  readonly set: (name: string, entry: Entry) => void;
}

type InputAttributes = JSX.InputHTMLAttributes<HTMLInputElement>;

/** A field of a form, with what the browser checks. */
export interface Field
  extends Pick<InputAttributes, 'autocomplete' | 'autofocus' | 'max' | 'min' | 'readOnly'> {
  /** That of the API: `preview.title` is a field of the object `preview`. */
  readonly name: string;
  readonly kind?: FieldKind;
  readonly label: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  /** What to enter, below the field. */
  readonly hint?: string | ((filling: Filling) => ComponentChildren) | undefined;
  /** The choices of a field that has some, which may depend on what is entered. */
  readonly options?: readonly Option[] | ((filling: Filling) => readonly Option[]) | undefined;
  /** The fields of each row, for a field that has rows. */
  readonly rows?: readonly Field[];
}

/** Returns a field, whose text is the value of the API unless it has another kind. */
export const field = (
  name: string,
  label: string,
  more: Omit<Field, 'name' | 'label'> = {},
): Field => ({ name, label, ...more });

/** Returns a field with some choices. */
export const select = (name: string, label: string, options: readonly Option[]): Field =>
  field(name, label, { kind: 'select', options });

const textAreas: readonly unknown[] = ['json', 'headers', 'variants'];

/** The types of `<input>` for kinds with another name. */
const inputTypes: Readonly<Record<string, string>> = {
  firstDay: 'date',
  lastDay: 'date',
  tags: 'text',
};

interface FieldRowProps {
  readonly field: Field;
  readonly filling: Filling;
  readonly error?: string | undefined;
}

/** A field with its label, its hint, and why its value was refused. */
export function FieldRow({ field, filling, error }: FieldRowProps) {
  const { name, label, kind = 'text', hint, options: given, rows, ...attributes } = field;
  const options = typeof given === 'function' ? given(filling) : (given ?? []);
  const id = useId();
  const entry = filling.draft[name];
  const set = (next: Entry) => filling.set(name, next);
  const note = (
    <p
      id={`${id}-note`}
      class={error === undefined ? 'hint' : 'error'}
      role={error ? 'alert' : undefined}
    >
      {error ?? (typeof hint === 'function' ? hint(filling) : hint)}
    </p>
  );
  if (rows) {
    const drafts = entry as readonly Draft[];
    const noun = label.toLowerCase();
    const change = (at: number) => (name: string, next: Entry) =>
      set(drafts.with(at, { ...drafts[at], [name]: next }));
    return (
      <div class="rows">
        {drafts.map((draft, at) => (
          <fieldset key={at} aria-label={`${noun} ${at + 1}`}>
            {rows.map((each) => (
              <FieldRow key={each.name} field={each} filling={{ draft, set: change(at) }} />
            ))}
            <Button class="plain" onClick={() => set(drafts.toSpliced(at, 1))}>
              Remove {noun} {at + 1}
            </Button>
          </fieldset>
        ))}
        <Button onClick={() => set([...drafts, draftOf(rows, {})])}>Add a {noun}</Button>
        {note}
      </div>
    );
  }
  if (kind === 'check') {
    return <Check label={label} name={name} checked={entry === true} onChecked={set} />;
  }
  if (kind === 'checks') {
    const checked = entry as readonly string[];
    const toggle = (value: string) => (isOn: boolean) =>
      set(isOn ? [...checked, value] : checked.filter((other) => other !== value));
    return (
      <fieldset>
        <legend>{label}</legend>
        {options.map(([value, text]) => (
          <Check
            key={value}
            label={text}
            checked={checked.includes(value)}
            onChecked={toggle(value)}
          />
        ))}
        {note}
      </fieldset>
    );
  }
  const shared = {
    ...attributes,
    id,
    name,
    value: entry as string,
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-note`,
  };
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    set(currentTarget.value);
  return (
    <div class={`field ${kind}`}>
      <label for={id}>{label}</label>
      {given ? (
        <select {...shared} onInput={onInput}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ) : textAreas.includes(kind) ? (
        <textarea {...shared} rows={4} onInput={onInput} />
      ) : (
        <input {...shared} type={inputTypes[kind] ?? kind} onInput={onInput} />
      )}
      {note}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly name?: string;
  readonly checked: boolean;
  readonly onChecked: (isChecked: boolean) => void;
}

/** A checkbox with its label. */
export function Check({ label, name, checked, onChecked }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        checked={checked}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      {label}
    </label>
  );
}
