import { quoteCell } from '@shorty/import';
import { formatCount } from '@shorty/report';
import {
  type ApiKey,
  type Client,
  NotFoundError,
  PermissionError,
  type Shorty,
  type WithResponse,
} from '@shorty/sdk';
import { CliError } from './cli-error.js';
import { collect, type Details, type RecordKind } from './command.js';
import type { Context } from './context.js';
import { withEtag } from './etag.js';

/** A record, with its ETag if it has one. */
export type Versioned<T extends object = object> = T & { readonly etag?: string | undefined };

/** What a search needs of a context. */
type Connection = Pick<Context, 'client' | 'operator' | 'request'>;

interface Search {
  readonly client: Shorty;
  readonly request: Context['request'];
  /** Returns the id of the organization that another argument names. */
  readonly organization: () => Promise<string>;
}

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
  readonly isOfOperator?: boolean;
  readonly find: (text: string, search: Search) => Promise<Found>;
  readonly read: (id: string, search: Search) => Promise<Versioned>;
}

type Listed<T> = Omit<Kind, 'find' | 'read'> & {
  readonly list: (search: Search, text: string) => AsyncIterable<T>;
  readonly isNamed?: (item: T, text: string) => boolean;
  readonly get?: (id: string, search: Search) => { withResponse(): Promise<WithResponse<object>> };
};

const number = /^[1-9]\d{0,15}$/;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const all = { limit: 100 };

/** Returns a kind whose records are found in a list. */
function listed<T extends { readonly id: string }>({
  list,
  isNamed = () => true,
  get,
  ...kind
}: Listed<T>): Kind {
  const findAll = async (search: Search, text: string, isIt: (item: T) => boolean) => {
    const found: T[] = [];
    for await (const item of list(search, text)) if (isIt(item)) found.push(item);
    return found;
  };
  return {
    ...kind,
    async find(text, search) {
      if (uuid.test(text) || text.startsWith('shorty_ci_')) return { id: text };
      const found = await findAll(search, text, (item) => isNamed(item, text));
      const [only] = found;
      if (!only) throw missing(kind, text);
      if (found.length === 1) return { id: only.id };
      const hint = `name one by its id: ${found.map(({ id }) => id).join(', ')}`;
      throw new CliError(`${formatCount(found.length, kind.noun)} have the name ${text}`, { hint });
    },
    async read(id, search) {
      if (get) return withEtag(await get(id, search).withResponse());
      const [record] = await findAll(search, id, (item) => item.id === id);
      if (record) return record;
      throw missing(kind, id);
    },
  };
}

function missing({ noun, hint }: Pick<Kind, 'noun' | 'hint'>, text: string): CliError {
  return new CliError(`there is no ${noun} ${quoteCell(text)}`, {
    ...{ code: 'NOT_FOUND', hint },
  });
}

const key = { noun: 'key', forms: 'id, name or start' };
const isKey = ({ name, start }: ApiKey, text: string) => name === text || text.startsWith(start);

export const kinds = {
  link: {
    ...{ noun: 'link', place: 'urls/{id}' },
    forms: 'id, short URL, slug or code',
    hint: 'shorty urls list --search TEXT finds links',
    find: findLink,
    read: async (id, { client, request }) =>
      withEtag(await client.urls.get(id, request).withResponse()),
  },
  code: {
    ...{ noun: 'QR code', place: 'qr/{id}' },
    forms: 'id or URL, or its link if that has no other code',
    hint: 'shorty qr list prints the ids',
    find: findCode,
    read: async (id, { client, request }) =>
      withEtag(await client.qr.get(id, request).withResponse()),
  },
  webhook: listed({
    ...{ noun: 'webhook', place: 'webhooks/{id}' },
    forms: 'id, URL or description',
    hint: 'shorty webhooks list prints them',
    list: ({ client, request }) => client.webhooks.list(all, request),
    isNamed: ({ url, description }, text) => url === text || description === text,
    get: (id, { client, request }) => client.webhooks.get(id, request),
  }),
  domain: listed({
    ...{ noun: 'domain', place: 'domains/{id}' },
    forms: 'hostname or id',
    hint: 'shorty domains list prints the hostnames',
    // The server refuses what has no dot.
    list: ({ client, request }, text) =>
      client.domains.list(text.includes('.') ? { hostname: text } : all, request),
    isNamed: (_, text) => text.includes('.'),
    get: (id, { client, request }) => client.domains.get(id, request),
  }),
  key: listed<ApiKey>({
    ...{ ...key, place: 'api-keys/{id}' },
    hint: 'shorty keys list prints them',
    list: ({ client, request }) => client.apiKeys.list(all, request),
    isNamed: isKey,
  }),
  tag: listed({
    ...{ noun: 'tag', place: 'tags/{tag}' },
    forms: 'its name in the exact case',
    hint: 'shorty tags list prints them',
    list: async function* ({ client, request }, search) {
      for await (const { name } of client.tags.list({ search }, request)) yield { id: name };
    },
    isNamed: ({ id }, text) => id === text,
  }),
  organization: listed({
    ...{ noun: 'organization', place: 'organizations/{id}' },
    forms: 'id or name',
    hint: 'shorty admin orgs list prints them',
    isOfOperator: true,
    list: ({ client, request }) => client.admin.organizations.list(all, request),
    isNamed: ({ name }, text) => name === text,
  }),
  client: listed<Client>({
    ...{ noun: 'client', place: 'clients/{clientId}' },
    forms: 'id or name',
    hint: 'shorty admin clients list prints them',
    isOfOperator: true,
    list: async function* ({ client, request, organization }) {
      yield* client.admin.clients.list(await organization(), all, request);
    },
    isNamed: ({ name, revokedAt }, text) => name === text && revokedAt === null,
  }),
  organizationKey: listed<ApiKey>({
    ...{ ...key, place: 'api-keys/{keyId}' },
    hint: 'shorty admin keys list prints them',
    isOfOperator: true,
    list: async function* ({ client, request, organization }) {
      yield* client.admin.apiKeys.list(await organization(), all, request);
    },
    isNamed: isKey,
  }),
  takedown: listed({
    ...{ noun: 'link', place: 'takedowns/{id}' },
    forms: 'id or short URL',
    hint: 'shorty admin takedowns list prints them',
    isOfOperator: true,
    list: ({ client, request }) => client.admin.takedowns.list(all, request),
    isNamed: ({ id, shortUrl }, text) => id === text || shortUrl === text,
  }),
} as const satisfies Readonly<Record<RecordKind, Kind>>;

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

  async id(): Promise<string> {
    return (await this.#find()).id;
  }

  /** Returns the record if it was read. */
  async known(): Promise<T | undefined> {
    return (await this.#found)?.record as T | undefined;
  }

  async read(): Promise<Versioned<T>> {
    const { id, record } = await this.#find();
    return (record ?? (await this.#kind.read(id, await this.#search()))) as Versioned<T>;
  }

  async #find(): Promise<Found> {
    this.#found ??= this.#search().then((search) => this.#kind.find(this.text, search));
    return this.#found;
  }

  async #search(): Promise<Search> {
    const { request } = this.#context;
    const isOfOperator = this.#kind.isOfOperator === true;
    const client = await (isOfOperator ? this.#context.operator() : this.#context.client());
    return { client, request, organization: async () => (await this.#organization?.id()) ?? '' };
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
async function findLink(text: string, { client, request }: Search): Promise<Found> {
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
async function findCode(text: string, search: Search): Promise<Found> {
  const { client, request } = search;
  const [, id = text] = /\/qr\/([\da-f-]{36})(?:\/|$)/.exec(text) ?? [];
  if (uuid.test(id)) return { id };
  const { id: urlId } = await findLink(text, search);
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
