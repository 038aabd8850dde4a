import type { Page, PageRange } from './fields.js';

export type JsonText<Value> = string & { readonly jsonOf?: Value };

export function toJsonText<Value>(value: Value): JsonText<Value> {
  return JSON.stringify(value);
}

/** Returns the JSON of an object with the fields of two others, neither of which is empty. */
export function joinJson<First extends object, Second extends object>(
  first: First,
  second: JsonText<Second>,
): JsonText<First & Second> {
  return `${JSON.stringify(first).slice(0, -1)},${second.slice(1)}`;
}

/** A page whose items are JSON. Threads exchange text much faster than objects. */
export interface PageText<Item> extends Omit<Page<Item>, 'items'> {
  readonly items: JsonText<Item[]>;
  readonly count: number;
}

/** Reads one page of an organization's list, or of one of the operator. */
export type ReadPage<Item, Filter = PageRange, More extends readonly unknown[] = []> = (
  owner: string,
  filter: Filter,
  ...more: More
) => Promise<PageText<Item>>;

/** Returns the page with the JSON of its items. `toItem` returns an item as the API presents it. */
export function toPageText<Row, Item>(
  { total, items, next }: Page<Row>,
  toItem: (row: Row) => Item,
): PageText<Item> {
  return { total, next, count: items.length, items: toJsonText(items.map(toItem)) };
}
