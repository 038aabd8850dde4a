import { hash } from 'node:crypto';
import { z } from 'zod';
import { invalidField } from '../contract/api-error.js';
import type { ListFilter, PageRange, Position } from '../contract/fields.js';
import type { JsonText, PageText } from '../contract/json-text.js';

interface PageQuery {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly after?: string | undefined;
}

interface PageData<Item> {
  total: number;
  limit: number;
  offset: number;
  items: Item[];
  nextAfter: string | null;
}

const maxIdLength = 200;
const count = z.int().min(0);
// PostgreSQL cannot compare U+0000.
const text = z
  .string()
  .max(maxIdLength)
  .refine((value) => !value.includes('\0'));

const idTypes = { integer: z.int(), text };

/**
 * Reads the range of a page from a query. Throws VALIDATION_FAILED for a cursor that is damaged, or that was
 * made with other filters or another order: it would omit items.
 */
export function openPage<Query extends PageQuery>(
  query: Query,
  ids: keyof typeof idTypes = 'text',
) {
  const { limit, offset, after, ...filters } = query;
  if (after !== undefined && offset !== undefined) {
    throw invalidField(
      'after',
      'must not be combined with offset, because it already says where the page starts',
    );
  }
  const digest = digestOf(filters);
  const cursor = after === undefined ? undefined : readCursor(after, ids, digest);
  const range: PageRange = { limit, offset: offset ?? 0, after: cursor?.position };
  function describe({ total = cursor?.total ?? 0, count, next }: Omit<PageText<unknown>, 'items'>) {
    const first = cursor?.offset ?? range.offset;
    const content = next && JSON.stringify([digest, total, first + count, ...next]);
    const nextAfter = content === undefined ? null : Buffer.from(content).toString('base64url');
    return { total, limit, offset: first, nextAfter };
  }
  return {
    filter: { ...filters, ...range } satisfies ListFilter<Query>,
    describe,
    reply<Item>(page: PageText<Item>) {
      const { nextAfter, ...first } = describe(page);
      const head = JSON.stringify(first).slice(0, -1);
      const json: JsonText<PageData<Item>> =
        `${head},"items":${page.items},"nextAfter":${JSON.stringify(nextAfter)}}`;
      return { status: 200, json };
    },
  };
}

/** Reads one page of an owner's list whose filters are the fields of a query. */
export async function replyWithPage<Query extends PageQuery, Item>(
  owner: string,
  query: Query,
  read: (owner: string, filter: ListFilter<Query>) => Promise<PageText<Item>>,
  ids?: keyof typeof idTypes,
) {
  const { filter, reply } = openPage(query, ids);
  return reply(await read(owner, filter));
}

function digestOf(filters: object): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const text = JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)));
  return hash('sha256', text, 'base64url').slice(0, 12);
}

interface Cursor {
  /** The number of items when the first page was read, which the other pages do not count again. */
  readonly total: number;
  readonly offset: number;
  readonly position: Position;
}

/** A client could forge a cursor, so its types are checked; it would only reach its own items. */
function readCursor(text: string, ids: keyof typeof idTypes, digest: string): Cursor {
  const content = z.tuple([z.literal(digest), count, count, z.int(), idTypes[ids]]);
  try {
    const bytes = Buffer.from(text, 'base64url');
    // The decoder ignores characters that base64url does not have.
    if (bytes.toString('base64url') !== text) throw new SyntaxError('not base64url');
    const [, total, offset, key, id] = content.parse(JSON.parse(bytes.toString()));
    return { total, offset, position: [key, id] };
  } catch {
    throw invalidField(
      'after',
      'must be the nextAfter of a page of this list, unchanged, together with the same filters and order',
    );
  }
}
