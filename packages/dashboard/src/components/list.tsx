import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { describeError } from '../api.js';
import { Button } from './button.js';
import type { Field } from './field.js';
import { FilterBar } from './filter-bar.js';
import { FormError } from './form.js';
import { Table } from './table.js';
import { changes } from './work.js';

/** A page of a list. */
export interface Paged<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly nextAfter: string | null;
}

/** What a list asks for. */
export interface PageQuery {
  readonly limit?: number;
  readonly after?: string;
}

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
  /** Whether an item does nothing at present. */
  readonly isOff?: (item: Item) => boolean;
  /** What stands above the table. */
  readonly children?: ComponentChildren;
}

interface Shown<Item> extends Paged<Item> {
  /** The filters that the items match. */
  readonly key: string;
}

const pageSize = 50;
const nothing = { items: [], total: 0, nextAfter: null, key: '' };
const noFilters: readonly Field[] = [];

const idOf = (item: object) => (item as { readonly id: string }).id;

/** A list that the server filters and pages. It is read again after each change. */
export function List<Item extends object, Query extends object = PageQuery>(
  props: ListProps<Item, Query>,
) {
  const {
    read,
    filters = noFilters,
    columns,
    notes = {},
    none,
    keyOf = idOf,
    isOff,
    children,
  } = props;
  const [search] = useSearchParams();
  const [{ items, total, nextAfter, key }, setShown] = useState<Shown<Item>>(nothing);
  const [error, setError] = useState('');
  const [isLoading, setLoading] = useState(true);
  const given = filters.flatMap(({ name }) => {
    const value = search.get(name);
    return value ? [[name, value] as const] : [];
  });
  const filtered = JSON.stringify(given);

  /** Reads on after some items, until there are so many. */
  const load = async (before: Shown<Item>, count: number, isCurrent: () => boolean) => {
    let shown = before;
    setLoading(true);
    try {
      do {
        const after = shown.nextAfter === null ? {} : { after: shown.nextAfter };
        const query = { limit: pageSize, ...Object.fromEntries(given), ...after };
        const page = await read(query as Query);
        shown = { ...page, items: [...shown.items, ...page.items], key: filtered };
      } while (shown.items.length < count && shown.nextAfter !== null);
      if (!isCurrent()) return;
      setShown(shown);
      setError('');
    } catch (reason) {
      if (isCurrent()) setError(describeError(reason));
    }
    if (isCurrent()) setLoading(false);
  };
  useEffect(() => {
    let isCurrent = true;
    // After a change, as many items are shown as before.
    void load(nothing, key === filtered ? items.length : 0, () => isCurrent);
    return () => {
      isCurrent = false;
    };
  }, [filtered, changes.value]);

  const more = () => void load({ items, total, nextAfter, key }, items.length + 1, () => true);
  return (
    <>
      {filters.length > 0 && <FilterBar filters={filters} />}
      {children}
      <Table heads={Object.keys(columns)}>
        {items.map((item) => (
          <tr key={keyOf(item)} class={isOff?.(item) ? 'off' : ''}>
            {Object.entries(columns).map(([head, cell]) => (
              <td key={head} class={head} data-head={head}>
                {cell(item)} <small>{notes[head]?.(item)}</small>
              </td>
            ))}
          </tr>
        ))}
      </Table>
      <FormError message={error} />
      <div class="row" aria-busy={isLoading}>
        {items.length === 0 && error === '' && <p class="hint">{isLoading ? 'Loading…' : none}</p>}
        {total > 0 && (
          <p>
            {items.length.toLocaleString()} of {total.toLocaleString()}
          </p>
        )}
        {nextAfter !== null && (
          <Button disabled={isLoading} onClick={more}>
            Show more
          </Button>
        )}
      </div>
    </>
  );
}
