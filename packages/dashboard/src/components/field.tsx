import { useId } from 'preact/hooks';
import { type Draft, draftOf, type Entry, type Field, type Filling } from '../fields.js';
import { Button } from './elements.js';

const textAreas: readonly unknown[] = ['json', 'headers', 'variants'];

/** The types of `<input>` for kinds with another name. Those that browsers do not know are texts. */
const inputTypes: Readonly<Record<string, string>> = { firstDay: 'date', lastDay: 'date' };

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
    <p id={`${id}-note`} class={error ? 'error' : 'hint'} role={error ? 'alert' : undefined}>
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
