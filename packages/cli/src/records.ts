import { quoteCell } from '@shorty/import';
import { formatCount } from '@shorty/report';
import {
  NotFoundError,
  type Page,
  PermissionError,
  type Shorty,
  type WithResponse,
} from '@shorty/sdk';
import { CliError } from './cli-error.js';
import { collect, type Details, type RecordKind } from './command.js';
import type { Context } from './context.js';
import { withEtag } from './etag.js';
import { operations } from './operations.js';
import { readPages } from './read-pages.js';

/** A record, with its ETag if it has one. */
export type Versioned<T extends object = object> = T & { readonly etag?: string | undefined };

/** What requests need of a context. */
export type Connection = Pick<Context, 'client' | 'operator' | 'request'>;

/** The id of a record, and the record if it had to be read. */
interface Found {
  readonly id: string;
  readonly record?: Versioned;
}

/** How users name the records of a kind, and how these are found. */
interface Kind {
  readonly noun: string;
  /** Where it stands in the path of a request. */
  readonly place: string;
  /** What users may call a record. */
  readonly forms: string;
  /** The next step for somebody whose name leads to no record. */
  readonly hint: string;
  /** Finds a record that no list has under its name. */
  readonly find?: (text: string, client: Shorty, request: Context['request']) => Promise<Found>;
  /** Selects items of the list that may have the name. */
  readonly query?: (text: string) => object;
  readonly isNamed?: (item: Item, text: string) => boolean;
}

/** An item of a list, with the fields by which users may name it. */
interface Item extends Readonly<Partial<Record<'id' | 'url' | 'description' | 'name', string>>> {
  readonly start?: string;
  readonly shortUrl?: string;
  readonly revokedAt?: string | null;
}

const number = /^[1-9]\d{0,15}$/;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const key = {
  noun: 'key',
  forms: 'id, name or start',
  isNamed: ({ name, start = '' }: Item, text: string) => name === text || text.startsWith(start),
};

export const kinds: Readonly<Record<RecordKind, Kind>> = {
  link: {
    ...{ noun: 'link', place: 'urls/{id}', forms: 'id, short URL, slug or code' },
    hint: 'shorty urls list --search TEXT finds links',
    find: findLink,
  },
  code: {
    ...{ noun: 'QR code', place: 'qr/{id}' },
    forms: 'id or URL, or its link if that has no other code',
    hint: 'shorty qr list prints the ids',
    find: findCode,
  },
  webhook: {
    ...{ noun: 'webhook', place: 'webhooks/{id}', forms: 'id, URL or description' },
    hint: 'shorty webhooks list prints them',
    isNamed: ({ url, description }, text) => url === text || description === text,
  },
  domain: {
    ...{ noun: 'domain', place: 'domains/{id}', forms: 'hostname or id' },
    hint: 'shorty domains list prints the hostnames',
    // The server refuses what has no dot.
    query: (text) => (text.includes('.') ? { hostname: text } : {}),
    isNamed: (_, text) => text.includes('.'),
  },
  key: { ...key, place: 'api-keys/{id}', hint: 'shorty keys list prints them' },
  tag: {
    ...{ noun: 'tag', place: 'tags/{tag}', forms: 'its name in the exact case' },
    hint: 'shorty tags list prints them',
    query: (search) => ({ search }),
    isNamed: ({ name }, text) => name === text,
  },
  organization: {
    ...{ noun: 'organization', place: 'admin/organizations/{id}', forms: 'id or name' },
    hint: 'shorty admin orgs list prints them',
    isNamed: ({ name }, text) => name === text,
  },
  client: {
    ...{ noun: 'client', place: 'admin/organizations/{id}/clients/{clientId}' },
    ...{ forms: 'id or name', hint: 'shorty admin clients list prints them' },
    isNamed: ({ name, revokedAt }, text) => name === text && revokedAt === null,
  },
  organizationKey: {
    ...{ ...key, place: 'admin/organizations/{id}/api-keys/{keyId}' },
    hint: 'shorty admin keys list prints them',
  },
  takedown: {
    ...{ noun: 'link', place: 'admin/takedowns/{id}', forms: 'id or short URL' },
    hint: 'shorty admin takedowns list prints them',
    isNamed: ({ id, shortUrl }, text) => id === text || shortUrl === text,
  },
};

const routes = new Set(Object.values(operations).map(({ route }) => route));

function missing({ noun, hint }: Pick<Kind, 'noun' | 'hint'>, text: string): CliError {
  return new CliError(`there is no ${noun} ${quoteCell(text)}`, {
    ...{ code: 'NOT_FOUND', hint },
  });
}

/** Returns an argument or an option whose value names a record. */
export function naming(record: RecordKind, text = `the ${kinds[record].noun}`): Details {
  return { text: `${text}: ${kinds[record].forms}`, record };
}

/** Returns an option that names several records. */
export function namingSeveral(record: RecordKind, text: string): Details {
  const { forms } = kinds[record];
  return { text: `${text}: ${forms}; repeatable`, record, parse: collect };
}

/** A record that a user names. It is searched for when it is needed, and only once. */
export class Named<T extends object = object> {
  readonly #kind: Kind;
  readonly #context: Connection;
  readonly #organization: Named | undefined;
  #found: Promise<Found> | undefined;

  /** The organization is that of a client or a key, for the operator. */
  constructor(
    kind: RecordKind,
    /** What the user calls it. */
    readonly text: string,
    context: Connection,
    { organization, id }: { readonly organization?: Named | undefined; readonly id?: string } = {},
  ) {
    this.#kind = kinds[kind];
    this.#context = context;
    this.#organization = organization;
    if (id !== undefined) this.#found = Promise.resolve({ id });
  }

  /** The route that reads the record, if it has one. */
  get route(): string {
    return `GET /api/v1/${this.#kind.place}`;
  }

  async id(): Promise<string> {
    return (await this.#find()).id;
  }

  /** Returns the record if it was read. */
  async known(): Promise<T | undefined> {
    return (await this.#found)?.record as T | undefined;
  }

  /** Returns the record: from its list, if no route has it alone. */
  async read(): Promise<Versioned<T>> {
    const { id, record } = await this.#find();
    if (record) return record as Versioned<T>;
    const client = await this.#client();
    if (routes.has(this.route)) {
      const path: `/${string}` = `/api/v1/${this.#kind.place}`;
      const call = client.request('GET', path, { params: { id } }, this.#context.request);
      return withEtag((await call.withResponse()) as WithResponse<T>);
    }
    const [listed] = await this.#findAll(client, id, (item) => (item.id ?? item.name) === id);
    if (listed) return listed as object as T;
    throw missing(this.#kind, id);
  }

  #client(): Promise<Shorty> {
    const isOfOperator = this.#kind.place.startsWith('admin/');
    return isOfOperator ? this.#context.operator() : this.#context.client();
  }

  async #find(): Promise<Found> {
    this.#found ??= this.#search();
    return this.#found;
  }

  async #search(): Promise<Found> {
    const { text } = this;
    const kind = this.#kind;
    const client = await this.#client();
    if (kind.find) return kind.find(text, client, this.#context.request);
    if (uuid.test(text) || text.startsWith('shorty_ci_')) return { id: text };
    const found = await this.#findAll(client, text, (item) => kind.isNamed?.(item, text) ?? true);
    const [only] = found;
    if (!only) throw missing(kind, text);
    if (found.length === 1) return { id: only.id };
    const hint = `name one by its id: ${found.map(({ id }) => id).join(', ')}`;
    throw new CliError(`${formatCount(found.length, kind.noun)} have the name ${text}`, { hint });
  }

  /** Returns the items of the list in which a record stands. A tag has its name as its id. */
  async #findAll(client: Shorty, text: string, isIt: (item: Item) => boolean) {
    const { place, query } = this.#kind;
    const { request } = this.#context;
    const path: `/${string}` = `/api/v1/${place.replace(/\/[^/]+$/, '')}`;
    const params = path.includes('{id}') ? { id: (await this.#organization?.id()) ?? '' } : {};
    const pages = readPages((position) => {
      const sent = { params, query: { limit: 100, ...query?.(text), ...position } };
      return client.request('GET', path, sent, request) as PromiseLike<Page<Item>>;
    });
    const found: (Item & { readonly id: string })[] = [];
    for await (const { items } of pages) {
      for (const { id, ...item } of items.filter(isIt))
        found.push({ id: id ?? `${item.name}`, ...item });
    }
    return found;
  }
}

/** Returns undefined if the record does not exist. */
export async function unlessMissing<T>(call: PromiseLike<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    if (error instanceof CliError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Returns a function that finds the ids of domains by their hostnames, each once. */
export function domainFinder(context: Connection) {
  const ids = new Map<string, Promise<string | undefined>>();
  return (hostname: string): Promise<string | undefined> => {
    const id = ids.get(hostname) ?? unlessMissing(new Named('domain', hostname, context).id());
    ids.set(hostname, id);
    return id;
  };
}

/** Returns the links that a file names. Numbers are ids and not looked up, because a file can have many. */
export function nameLinks(texts: readonly string[], context: Connection): Named[] {
  return texts.map((text) => {
    const name = text.trim();
    return new Named('link', name, context, number.test(name) ? { id: name } : {});
  });
}

/** Finds a link by its id, short URL, slug or code. A slug may consist of digits, too. */
async function findLink(text: string, client: Shorty, request: Context['request']): Promise<Found> {
  if (number.test(text)) {
    try {
      return { id: text, record: withEtag(await client.urls.get(text, request).withResponse()) };
    } catch (error) {
      // A client may change links without the scope to read them.
      if (error instanceof PermissionError) return { id: text };
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
  if (!/\/|^[A-Za-z0-9._~-]{1,100}$/.test(text)) throw missing(kinds.link, text);
  const record = withEtag(await client.urls.lookup(text, request).withResponse());
  return { id: record.id, record };
}

/** Finds a QR code by its id, its URL, or a link that has no other one. */
async function findCode(text: string, client: Shorty, request: Context['request']): Promise<Found> {
  const [, id = text] = /\/qr\/([\da-f-]{36})(?:\/|$)/.exec(text) ?? [];
  if (uuid.test(id)) return { id };
  const { id: urlId } = await findLink(text, client, request);
  const { items, total } = await client.qr.list({ urlId, limit: 10 }, request);
  const [code] = items;
  if (code && total === 1) return { id: code.id };
  throw new CliError(`the link ${text} has ${formatCount(total, 'QR code')}`, {
    ...{ code: code ? 'FAILED' : 'NOT_FOUND' },
    hint: code
      ? `name one: ${items.map(({ id, format }) => `${id} (${format})`).join(', ')}`
      : `create one with: shorty qr create ${text}`,
  });
}
