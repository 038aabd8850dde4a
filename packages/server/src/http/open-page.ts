import { createHash } from 'node:crypto';
import { z } from 'zod';
import { validationError } from '../contract/api-error.js';
import type { ListFilter, PageRange, Position } from '../contract/fields.js';
import type { JsonText, PageText } from '../contract/json-text.js';

interface PageQuery {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly after?: string | undefined;
}

/** Identifies a list. A cursor continues only the list of the organization that it was made for. */
export interface ListIdentity {
  readonly name: string;
  readonly organizationId: string;
  /** The type of the ids in storage. */
  readonly ids: 'integer' | 'text';
  /** The type of the value that orders the list; 'integer' by default. */
  readonly keys?: 'integer' | 'text';
}

/** The data of the response of a list. */
interface PageData<Item> {
  total: number;
  limit: number;
  offset: number;
  items: Item[];
  nextAfter: string | null;
}

const maxKeyLength = 200;
const count = z.int().min(0);
// PostgreSQL cannot compare U+0000.
const text = z
  .string()
  .max(maxKeyLength)
  .refine((value) => !value.includes('\0'));

const valueTypes = { integer: z.int(), text };

/**
 * Reads the range of a page from a query. Throws VALIDATION_FAILED for a cursor that is damaged or
 * that belongs to another list, filter or order.
 */
export function openPage<Query extends PageQuery>(list: ListIdentity, query: Query) {
  const { limit, offset, after, ...filters } = query;
  const cursors = new Cursors(list, filters);
  if (after !== undefined && offset !== undefined) {
    throw refuse('must not be combined with offset, because it already says where the page starts');
  }
  const cursor = after === undefined ? undefined : cursors.decode(after);
  const range: PageRange = { limit, offset: offset ?? 0, after: cursor?.position };
  /** Returns what the response tells about the page. */
  function describe({ total = cursor?.total ?? 0, count, next }: Omit<PageText<unknown>, 'items'>) {
    const first = cursor?.offset ?? range.offset;
    const nextAfter =
      next === undefined ? null : cursors.encode({ total, offset: first + count, position: next });
    return { total, limit, offset: first, nextAfter };
  }
  return {
    filter: { ...filters, ...range } satisfies ListFilter<Query>,
    describe,
    /** Returns the response of the list. */
    reply<Item>(page: PageText<Item>) {
      const { nextAfter, ...first } = describe(page);
      const head = JSON.stringify(first).slice(0, -1);
      const json: JsonText<PageData<Item>> =
        `${head},"items":${page.items},"nextAfter":${JSON.stringify(nextAfter)}}`;
      return { status: 200, json };
    },
  };
}

interface Cursor {
  /** The number of items when the first page was read, which the other pages do not count again. */
  readonly total: number;
  /** The number of items before the page. */
  readonly offset: number;
  readonly position: Position;
}

const digestBytes = 9;

/** Writes and reads the cursors of one list with one set of filters. */
class Cursors {
  readonly #list: string;
  readonly #schema;

  constructor({ name, organizationId, ids, keys = 'integer' }: ListIdentity, filters: object) {
    const given = Object.entries(filters).filter(([, value]) => value !== undefined);
    this.#list = JSON.stringify([name, organizationId, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
    this.#schema = z.tuple([count, count, valueTypes[keys], valueTypes[ids]]);
  }

  encode({ total, offset, position }: Cursor): string {
    const content = Buffer.from(JSON.stringify([total, offset, ...position]));
    return Buffer.concat([this.#digest(content), content]).toString('base64url');
  }

  decode(cursor: string): Cursor {
    const bytes = Buffer.from(cursor, 'base64url');
    const content = bytes.subarray(digestBytes);
    const isOwn = this.#digest(content).equals(bytes.subarray(0, digestBytes));
    // The decoder ignores characters that base64url does not have.
    const parsed =
      isOwn && bytes.toString('base64url') === cursor
        ? this.#schema.safeParse(parseJson(content))
        : undefined;
    if (!parsed?.success) {
      throw refuse(
        'must be the nextAfter of a page of this list, unchanged, together with the same filters and order',
      );
    }
    const [total, offset, key, id] = parsed.data;
    return { total, offset, position: [key, id] };
  }

  /** Detects damage and other lists. A client could forge it, so a reader of positions must check them; it would only reach its own items. */
  #digest(content: Buffer): Buffer {
    const hash = createHash('sha256').update(this.#list).update(content);
    return hash.digest().subarray(0, digestBytes);
  }
}

function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}

function refuse(message: string) {
  return validationError([{ path: 'after', message }]);
}
