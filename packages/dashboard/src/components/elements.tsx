import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { describeError } from '../texts.js';

interface Titled {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A screen, with its heading, which is the title of the page, too. */
export function Screen({ title, children }: Titled) {
  useEffect(() => {
    document.title = `${title} · Shorty`;
  }, [title]);
  return (
    <>
      <h1>{title}</h1>
      {children}
    </>
  );
}

/** A part of a screen, with its heading. */
export function Part({ title, children }: Titled) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A button that sends no form. */
export const Button = (props: JSX.IntrinsicElements['button']) => (
  <button type="button" {...props} />
);

type TableProps = { readonly heads: readonly string[]; readonly children: ComponentChildren };

/** A table whose rows are cards on narrow screens. A column has the class of its head. */
export const Table = ({ heads, children }: TableProps) => (
  <table>
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col" class={head}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** An instant of the API, in the time zone and the language of the browser. */
export const Time = ({ at }: { readonly at: string | null }) =>
  at === null ? <>never</> : <time datetime={at}>{format.format(new Date(at))}</time>;

/** Why something as a whole was refused, if it was. */
export const Problem = ({ error }: { readonly error: unknown }) =>
  error ? (
    <p class="error" role="alert">
      {describeError(error)}
    </p>
  ) : null;

/** Says that something is being read, or why it cannot be. */
export const Loading = ({ error }: { readonly error: unknown }) =>
  error ? <Problem error={error} /> : <p>Loading…</p>;

/**
 * Reads something, and again `delayMs` after `key` changes. The value before is shown meanwhile.
 * `isLoading` is true until the value of the key is there.
 */
export function useLoaded<Value>(
  key: unknown,
  read: (signal: AbortSignal) => PromiseLike<Value>,
  delayMs = 0,
) {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<unknown>();
  const [isLoading, setLoading] = useState(true);
  useEffect(() => {
    const abort = new AbortController();
    const load = async () => {
      try {
        const next = await read(abort.signal);
        if (abort.signal.aborted) return;
        setValue(() => next);
        setError(undefined);
      } catch (reason) {
        if (abort.signal.aborted) return;
        setError(reason);
      }
      setLoading(false);
    };
    setLoading(true);
    const timer = setTimeout(load, value === undefined ? 0 : delayMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
    // `read` is another function at each rendering, and `key` says whether it reads something else.
  }, [key]);
  return { value, error, isLoading, setValue };
}

/** A modal dialog. It is open while it is rendered; `onClose` is also called for Escape. */
export function Dialog({ title, onClose, children }: Titled & { readonly onClose: () => void }) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement as HTMLElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // Chromium focuses the field from before without its caret, so that nothing can be typed.
      before.blur();
      before.focus();
    };
  }, []);
  return (
    <dialog aria-labelledby={id} ref={element} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      <Button class="other" onClick={onClose}>
        Close
      </Button>
    </dialog>
  );
}
