import { useEffect, useState } from 'preact/hooks';
import { describeError } from '../api.js';
import { FormError } from './form.js';

/** Reads something from the server, and again when `key` changes. */
export function useLoaded<Value>(key: string, read: () => PromiseLike<Value>) {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState('');
  useEffect(() => {
    let isCurrent = true;
    Promise.resolve(read())
      .then((read) => {
        if (!isCurrent) return;
        setValue(read);
        setError('');
      })
      .catch((reason: unknown) => isCurrent && setError(describeError(reason)));
    return () => {
      isCurrent = false;
    };
    // `read` is another function at each rendering, and `key` says whether it reads something else.
  }, [key]);
  return { value, error, setValue };
}

/** Says that something is being read, or why it cannot be. */
export function Loading({ error }: { readonly error: string }) {
  return error === '' ? <p>Loading…</p> : <FormError message={error} />;
}
