import type { Page, PageRange } from '../contract/fields.js';

/** Returns the response of a list. */
export function pageReply<Row, Item>(
  { limit, offset }: PageRange,
  { total, items }: Page<Row>,
  toItem: (row: Row) => Item,
) {
  return { status: 200, data: { total, limit, offset, items: items.map(toItem) } };
}
