import { formatJson } from '@shorty/report';
import { UsageError } from '../cli-error.js';
import { type CommandRow, repeatable } from '../command.js';
import type { Context } from '../context.js';
import { resolveFormat } from '../output.js';
import { readJson } from '../read-input.js';

interface ApiInput {
  readonly method: Method;
  readonly path: string;
  readonly field?: readonly string[];
  readonly input?: string;
  readonly paginate?: boolean;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

export const api: CommandRow = {
  summary: 'Call any route of the API',
  examples: [
    'shorty api GET urls -f tag=spring --paginate',
    "shorty api GET urls/42/clicks --jq '.totals.totalClicks'",
    'shorty api PATCH urls/42 -f title="Autumn sale" -f isActive:=false',
  ],
  args: {
    '<method>': { text: 'HTTP method', choices: methods, parse: parseMethod },
    '<path>': 'path of the route: urls/42 or /api/v1/urls/42',
  },
  options: {
    '-f, --field <name=value>': repeatable('parameter as text, or name:=JSON'),
    '--input <file>': 'JSON file with the body, or - for stdin',
    '--paginate': 'read every page of a list, and print its items; --jq gets each item',
  },
  help: `Fields are query parameters of GET, and fields of the JSON body otherwise.
Prints the data of the response as JSON. A string that --jq returns is printed
as plain text. shorty open shows the API reference of
the server, which lists all routes.`,
  ownsOutput: true,
  run: callApi,
};

function parseMethod(text: string): Method {
  const method = methods.find((each) => each === text.toUpperCase());
  if (method) return method;
  throw new UsageError(`method ${text}: must be ${methods.join(', ')}`, 'such as GET urls/42');
}

async function callApi(context: Context, input: ApiInput): Promise<undefined> {
  const { output, request } = context;
  const { method, path, paginate = false } = input;
  resolveFormat(context.flags, paginate ? ['ndjson', 'json'] : ['json']);
  if (paginate && method !== 'GET') throw new UsageError('--paginate needs the method GET');
  const sent = await readRequest(context, input);
  const route = toRoute(path);
  const client = await context.client();
  const call = (query: object) => client.request(method, route, { ...sent, query }, request);
  if (!paginate) {
    await output.json((await call(sent.query)) ?? null);
    return;
  }
  for await (const item of itemsOf(route, call, sent.query)) {
    if (output.isClosed) break;
    if (context.flags.jq !== undefined) await output.json(item);
    else await output.write(`${formatJson(item)}\n`);
  }
}

/** Completes a path: `urls/42` is `/api/v1/urls/42`. */
function toRoute(path: string): `/${string}` {
  if (/^https?:\/\//i.test(path)) {
    throw new UsageError(`${path}: must be a path, such as urls/42`, '--base-url sets the server');
  }
  const [pathname = ''] = path.split(/[?#]/, 1);
  if (pathname !== path) {
    throw new UsageError(`${path}: must have no query`, 'use --field name=value');
  }
  return path.startsWith('/') ? (path as `/${string}`) : `/api/v1/${path}`;
}

const pageSize = 100;

/** Yields the items of every page of a list. */
async function* itemsOf(
  route: string,
  call: (query: object) => PromiseLike<unknown>,
  query: Readonly<Record<string, unknown>>,
): AsyncGenerator<unknown> {
  let page: Readonly<Record<string, unknown>> = { limit: pageSize, ...query };
  for (;;) {
    const data = (await call(page)) as { items?: unknown; nextAfter?: unknown } | undefined;
    const { items, nextAfter } = data ?? {};
    if (!Array.isArray(items)) throw new UsageError(`--paginate: ${route} returns no list`);
    yield* items;
    // The list of events has a next page even at its end.
    if (items.length === 0 || typeof nextAfter !== 'string') return;
    page = { ...page, offset: undefined, after: nextAfter };
  }
}

interface Sent {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

async function readRequest(
  context: Context,
  { method, field = [], input }: ApiInput,
): Promise<Sent> {
  const fields = Object.fromEntries(field.map(parseField));
  if (method === 'GET') {
    if (input !== undefined) throw new UsageError('--input: a GET request has no body');
    return { query: fields };
  }
  if (input === undefined) return field.length > 0 ? { query: {}, body: fields } : { query: {} };
  if (field.length > 0) throw new UsageError('--input and --field cannot be used together');
  return { query: {}, body: await readJson(context, input) };
}

/** Parses `name=value` and `name:=JSON`. */
function parseField(text: string): [string, unknown] {
  const sign = text.indexOf('=');
  if (sign < 1 || text.startsWith(':=')) {
    throw new UsageError(`--field ${text}: must have the form name=value or name:=JSON`);
  }
  const value = text.slice(sign + 1);
  const name = text.slice(0, sign);
  if (!name.endsWith(':')) return [name, value];
  try {
    return [name.slice(0, -1), JSON.parse(value)];
  } catch (error) {
    throw new UsageError(`--field ${text}: invalid JSON: ${(error as Error).message}`);
  }
}
