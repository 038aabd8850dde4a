import { useEffect, useState } from 'preact/hooks';

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
