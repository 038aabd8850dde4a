import type { Page, UrlListQuery } from '@shorty/sdk';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { creationOf, draftOf, type Entry, type Field } from '../fields.js';
import { Button, Problem, Table, useLoaded } from './elements.js';
import { FieldRow } from './field.js';
import { changes } from './work.js';

/** Filters apply once somebody stops typing. */
export const typingMs = 250;

/** The filters of a screen, which its address has, and how to change them. */
export function useFilters() {
  const [search, setSearch] = useSearchParams();
  const change = (edit: (next: URLSearchParams) => void, replace = false) => {
    // Not `search`, which is older than the address until the next rendering.
    const next = new URLSearchParams(location.search);
    edit(next);
    setSearch(next, { replace });
  };
  return { search, change };
}

interface OnlyProps {
  readonly name: string;
  readonly value: string | null;
  readonly label?: string | null;
}

/** A value in a list: a click shows only what has it. */
export function Only({ name, value, label = value }: OnlyProps) {
  const { change } = useFilters();
  if (value === null) return null;
  const filter = () => change((next) => next.set(name, value));
  return (
    <Button class="plain" aria-label={`Only ${name} ${label}`} onClick={filter}>
      {label}
    </Button>
  );
}

interface FilterBarProps {
  readonly filters: readonly Field[];
  readonly children?: ComponentChildren;
}

/** Filters of a list or a report. */
export function FilterBar({ filters, children }: FilterBarProps) {
  const { search, change } = useFilters();
  const set = (name: string, entry: Entry) =>
    change((next) => {
      if (entry) next.set(name, entry === true ? 'yes' : String(entry));
      else next.delete(name);
    }, true);
  const filling = { draft: draftOf(filters, Object.fromEntries(search)), set };
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      {filters.map((field) => (
        <FieldRow key={field.name} field={field} filling={filling} />
      ))}
      {children}
    </form>
  );
}

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

const idOf = (item: object) => (item as { readonly id: string }).id;

/** A list that the server filters and pages. It is read again after each change. */
export function List<Item extends object, Query extends object = PageQuery>(
  props: ListProps<Item, Query>,
) {
  const { read, filters = [], columns, notes = {}, none, keyOf = idOf } = props;
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
