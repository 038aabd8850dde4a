import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { describeError } from '../api.js';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly nextAfter: string | null;
}

interface Paged<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly error: string;
  readonly isLoading: boolean;
  /** Loads the next page; undefined on the last one. */
  readonly more: (() => void) | undefined;
  /** Reads the list again from its start. */
  readonly reload: () => void;
}

/** The query of a page; undefined for the first one. */
export const pageQuery = (after: string | undefined, limit = 50) => ({
  limit,
  ...(after !== undefined && { after }),
});

/**
 * Reads a list page by page. `read` gets the cursor of the next page; the list starts again when `key`
 * changes, which names its filters.
 */
export function usePages<Item>(
  key: string,
  read: (after: string | undefined) => PromiseLike<Page<Item>>,
): Paged<Item> {
  const [items, setItems] = useState<readonly Item[]>([]);
  const [total, setTotal] = useState(0);
  const [after, setAfter] = useState<string | null>(null);
  const [error, setError] = useState('');
  const [isLoading, setLoading] = useState(true);
  const [version, setVersion] = useState(0);

  useEffect(() => {
    let isCurrent = true;
    setLoading(true);
    setError('');
    Promise.resolve(read(undefined))
      .then((page) => {
        if (!isCurrent) return;
        setItems(page.items);
        setTotal(page.total);
        setAfter(page.nextAfter);
      })
      .catch((reason: unknown) => isCurrent && setError(describeError(reason)))
      .finally(() => isCurrent && setLoading(false));
    return () => {
      isCurrent = false;
    };
    // `read` is another function at each rendering, and `key` says whether it reads another list.
  }, [key, version]);

  const more = async () => {
    setLoading(true);
    try {
      const page = await read(after ?? undefined);
      setItems([...items, ...page.items]);
      setAfter(page.nextAfter);
    } catch (reason) {
      setError(describeError(reason));
    } finally {
      setLoading(false);
    }
  };
  const reload = useCallback(() => setVersion((before) => before + 1), []);
  return { items, total, error, isLoading, reload, more: after === null ? undefined : more };
}

/** The state of a list below its table: how much is shown, and the rest on request. */
export function PageEnd({
  list: { items, total, error, isLoading, more },
  none,
}: {
  readonly list: Omit<Paged<unknown>, 'reload'>;
  /** What to say of an empty list. */
  readonly none: ComponentChildren;
}) {
  if (error !== '') {
    return (
      <p class="error" role="alert">
        {error}
      </p>
    );
  }
  return (
    <div class="page-end" aria-busy={isLoading}>
      {items.length === 0 && !isLoading && <p class="none">{none}</p>}
      {total > 0 && (
        <p>
          {items.length.toLocaleString()} of {total.toLocaleString()}
        </p>
      )}
      {more && (
        <button type="button" disabled={isLoading} onClick={more}>
          Show more
        </button>
      )}
    </div>
  );
}
