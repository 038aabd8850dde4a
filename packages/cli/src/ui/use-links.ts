import type { UrlRecord } from '@shorty/sdk';
import { useEffect, useReducer } from 'react';
import type { BrowseApi } from './browse-api.js';

const searchDelayMs = 150;

interface Links {
  readonly search: string;
  readonly items: readonly UrlRecord[];
  /** Undefined until the first page was read. */
  readonly total?: number;
  readonly error?: string | undefined;
  /** The index in `items`. */
  readonly selected: number;
  /** The id of the link that is shown. */
  readonly openId?: string | undefined;
}

/** Returns what a change makes of a state. Keys may arrive in bursts, between two renderings. */
type Change = (links: Links) => Partial<Links>;

function apply(links: Links, change: Change): Links {
  const next = { ...links, ...change(links) };
  return { ...next, selected: Math.max(0, Math.min(next.items.length - 1, next.selected)) };
}

/** Returns the links of a search, which are read page by page, and a function that changes them. */
export function useLinks(api: BrowseApi, initialSearch: string): [Links, (change: Change) => void] {
  const [links, change] = useReducer(apply, { search: initialSearch, items: [], selected: 0 });
  const { search, items, total = 0, selected, openId } = links;

  const read = (offset: number, delayMs: number) => {
    const request = new AbortController();
    const timer = setTimeout(async () => {
      let result: Change;
      try {
        const page = await api.list(search, offset, request.signal);
        result = (before) => ({
          items: [...before.items.slice(0, offset), ...page.items],
          total: page.total,
          error: undefined,
        });
      } catch (error) {
        result = () => ({ error: (error as Error).message });
      }
      if (!request.signal.aborted) change(result);
    }, delayMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  };
  const isOpen = openId !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new search, and the way back to the list.
  useEffect(() => (isOpen ? undefined : read(0, searchDelayMs)), [search, isOpen]);
  const needsMore = !isOpen && selected === items.length - 1 && items.length < total;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of what was read.
  useEffect(() => (needsMore ? read(items.length, 0) : undefined), [needsMore, items.length]);
  return [links, change];
}
