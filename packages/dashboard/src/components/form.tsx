import { ValidationError } from '@shorty/sdk';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import {
  changesOf,
  creationOf,
  type Draft,
  draftOf,
  type Entry,
  type Field,
  type Filling,
} from '../fields.js';
import { Button, Dialog, Problem } from './elements.js';
import { FieldRow } from './field.js';
import { changes, notify, run } from './work.js';

/** Fields that are shown on request. */
export type Section = { readonly section: string; readonly fields: readonly Field[] };

export const section = (title: string, fields: readonly Field[]): Section => ({
  section: title,
  fields,
});

interface FormProps<Request> {
  /** The name for screen readers. */
  readonly label?: string;
  readonly fields: readonly (Field | Section)[];
  /** What the form changes. Without a record, it makes something new. */
  readonly record?: object | undefined;
  /** What a form without a record begins with. */
  readonly initial?: object;
  /** What the button says. Without it, nobody can save. */
  readonly action: string | undefined;
  /** Gets the fields that differ from the record, or all that are not empty. */
  readonly save: (request: Request) => PromiseLike<unknown>;
  /** What to tell afterwards. */
  readonly done?: string | undefined;
  readonly class?: string;
  /** What stands between the fields and the button. `request` throws for an entry that has no value. */
  readonly children?: (form: Filling & { readonly request: () => Request }) => ComponentChildren;
}

/** A form of a table of fields, with what the server refuses beside each. */
export function Form<Request extends object>(props: FormProps<Request>) {
  const { label, fields, record, initial = {}, action, save, done, children } = props;
  const all = fields.flatMap((each) => ('section' in each ? each.fields : [each]));
  const start = draftOf(all, record ?? initial);
  const blank = draftOf(all, {});
  const [edits, setEdits] = useState<Draft>({});
  const draft = { ...start, ...edits };
  const request = () => (record ? changesOf(all, start, draft) : creationOf(all, draft)) as Request;
  const { submit, error, isBusy } = useSubmit(async () => {
    await save(request());
    // By then, `record` is what the server has stored, without what was entered meanwhile.
    setEdits((now) =>
      Object.fromEntries(Object.entries(now).filter(([name, entry]) => entry !== edits[name])),
    );
    if (done !== undefined) notify(done);
  });
  const filling: Filling = {
    draft,
    set: (name: string, entry: Entry) => setEdits((before) => ({ ...before, [name]: entry })),
  };
  const details = error instanceof ValidationError ? error.details : [];
  const errorOf = ({ name }: Field) =>
    details.find(
      // `tags[0]` is a part of the field `tags`.
      ({ path }) => path.startsWith(name) && !/\w/.test(path.charAt(name.length)),
    )?.message;
  const row = (field: Field) => (
    <FieldRow key={field.name} field={field} filling={filling} error={errorOf(field)} />
  );
  return (
    <form class={props.class} aria-label={label} onSubmit={submit}>
      <fieldset class="fields" disabled={action === undefined}>
        {fields.map((each) =>
          'section' in each ? (
            <details
              key={each.section}
              open={each.fields.some(
                (field) =>
                  errorOf(field) !== undefined ||
                  String(start[field.name]) !== String(blank[field.name]),
              )}
            >
              <summary>{each.section}</summary>
              <div class="fields">{each.fields.map(row)}</div>
            </details>
          ) : (
            row(each)
          ),
        )}
      </fieldset>
      {children?.({ ...filling, request })}
      {!all.some(errorOf) && <Problem error={error} />}
      {action !== undefined && (
        <button type="submit" disabled={isBusy}>
          {action}
        </button>
      )}
    </form>
  );
}

/** Runs the work of a form, and tells why it was refused. */
export function useSubmit(work: () => Promise<void>) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await work();
      changes.value++;
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return { submit, error, isBusy };
}

interface ActionProps {
  /** What the button says, such as `Pause`. */
  readonly name: string;
  /** What it acts on, for those who do not see where the button stands. */
  readonly of: string;
  readonly work: () => PromiseLike<unknown>;
  /** What to tell afterwards. */
  readonly done?: string;
  readonly undo?: () => PromiseLike<unknown>;
  /** What will be lost, for something that cannot be undone: it is asked first. */
  readonly ask?: string;
  /** The screen to show afterwards. */
  readonly to?: string | undefined;
}

/** A button for something that is done at once, or after a question. */
export function Action({ name, of, work, done, undo, ask, to }: ActionProps) {
  const [isAsking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const start = () => (ask === undefined ? void run(work, done, undo) : setAsking(true));
  return (
    <>
      <Button class="plain" aria-label={`${name} ${of}`} onClick={start}>
        {name}
      </Button>
      {isAsking && (
        <Dialog title={`${name} ${of}?`} onClose={() => setAsking(false)}>
          <p>{ask}</p>
          <Form
            fields={[]}
            action={name}
            done={done}
            save={async () => {
              await work();
              setAsking(false);
              if (to !== undefined) navigate(to);
            }}
          />
        </Dialog>
      )}
    </>
  );
}
