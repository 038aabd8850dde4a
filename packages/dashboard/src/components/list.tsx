import type { Page, UrlListQuery } from '@shorty/sdk';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { creationOf, draftOf } from '../field-values.js';
import { Button, Problem, Table, useLoaded } from './elements.js';
import type { Field } from './field.js';
import { FilterBar, typingMs } from './filter-bar.js';
import { changes } from './work.js';

/** A page of a list, and what it is asked for. */
export type Paged<Item> = Pick<Page<Item>, 'items' | 'total' | 'nextAfter'>;
export type PageQuery = Pick<UrlListQuery, 'limit' | 'after'>;

/** What a table shows of an item, by the head of the column. */
type Columns<Item> = Readonly<Record<string, (item: Item) => ComponentChildren>>;

interface ListProps<Item, Query> {
  /** Reads a page, with the filters that somebody has set. */
  readonly read: (query: Query) => PromiseLike<Paged<Item>>;
  /** The filters, which the address of the screen has. */
  readonly filters?: readonly Field[];
  readonly columns: Columns<Item>;
  /** What stands below the text of a cell. */
  readonly notes?: Columns<Item>;
  /** What to say of an empty list. */
  readonly none: ComponentChildren;
  /** What tells an item from others: its id by default. */
  readonly keyOf?: (item: Item) => string;
  /** What stands above the table. */
  readonly children?: ComponentChildren;
}

const pageSize = 50;
const nothing: Paged<never> = { items: [], total: 0, nextAfter: null };
const noFilters: readonly Field[] = [];

const idOf = (item: object) => (item as { readonly id: string }).id;

/** A list that the server filters and pages. It is read again after each change. */
export function List<Item extends object, Query extends object = PageQuery>(
  props: ListProps<Item, Query>,
) {
  const { read, filters = noFilters, columns, notes = {}, none, keyOf = idOf } = props;
  const [search] = useSearchParams();
  const draft = draftOf(filters, Object.fromEntries(search));
  const key = JSON.stringify(draft);
  const [wanted, setWanted] = useState({ key, count: pageSize });
  const count = wanted.key === key ? wanted.count : pageSize;
  const last = useRef({ key, version: -1, found: nothing as Paged<Item> });

  /** Reads as many items as are shown. */
  const readItems = async (signal: AbortSignal) => {
    const version = changes.value;
    // The pages that are there may have changed, but not because somebody wants more.
    const isSame = last.current.key === key && last.current.version === version;
    const query = creationOf(filters, draft);
    let found = isSame ? last.current.found : nothing;
    while (found === nothing || (found.items.length < count && found.nextAfter !== null)) {
      const after = found.nextAfter ?? undefined;
      const page = await read({ limit: pageSize, ...query, after } as Query);
      signal.throwIfAborted();
      // Only the first page has the total.
      found = { ...page, total: found.total || page.total, items: [...found.items, ...page.items] };
    }
    last.current = { key, version, found };
    return found;
  };
  const delayMs = last.current.key === key ? 0 : typingMs;
  const loaded = useLoaded(`${key} ${count} ${changes.value}`, readItems, delayMs);
  const { error, isLoading, value: { items, total, nextAfter } = nothing } = loaded;
  return (
    <>
      {filters.length > 0 && <FilterBar filters={filters} />}
      {props.children}
      <Table heads={Object.keys(columns)}>
        {items.map((item) => (
          <tr key={keyOf(item)}>
            {Object.entries(columns).map(([head, cell]) => (
              <td key={head} class={head} data-head={head}>
                {cell(item)} <small>{notes[head]?.(item)}</small>
              </td>
            ))}
          </tr>
        ))}
      </Table>
      <Problem error={error} />
      <div class="row" aria-busy={isLoading}>
        {items.length === 0 && !error && <p class="hint">{isLoading ? 'Loading…' : none}</p>}
        {total > 0 && (
          <p>
            {items.length.toLocaleString()} of {total.toLocaleString()}
          </p>
        )}
        {nextAfter !== null && (
          <Button
            disabled={isLoading}
            onClick={() => setWanted({ key, count: items.length + pageSize })}
          >
            Show more
          </Button>
        )}
      </div>
    </>
  );
}
