import { formatNumber } from '@shorty/report';
import type { Page, WithResponse } from '@shorty/sdk';
import {
  type CommandRow,
  defined,
  type OptionRows,
  parseCount,
  parsePositive,
} from '../command.js';
import type { Context } from '../context.js';
import { withEtag } from '../etag.js';
import { requireChange } from '../field-options.js';
import type responseFields from '../generated/response-fields.json';
import { type Input, inputName, withIds } from '../input.js';
import { type Column, columnsOf } from '../output.js';
import { readPages } from '../read-pages.js';
import { Named } from '../records.js';

/** A route of the contract. */
export type Route = keyof typeof responseFields | `${'GET' | 'DELETE'} /${string}`;

/** A command that sends one request, and prints its response. */
interface RequestRow<Data> extends Omit<CommandRow, 'run' | 'prints'> {
  /** The first arguments are the parameters of the path, in their order. */
  readonly route: Route;
  /** Returns the fields of the request, if they are not those of the other arguments and options. */
  readonly fields?: (input: never, context: Context) => object | Promise<object>;
  /** What happened, for people: after the name of the record. By default, they get the record. */
  readonly done?: string;
  /** Whether the record has an ETag, also without `--if-match`. */
  readonly isVersioned?: boolean;
  /** What to tell after the request. */
  readonly note?: string | ((data: Data, input: never) => string | undefined);
}

export function requestCommand<Data extends object = never>({
  route,
  fields: read = (input: object) => input,
  done,
  note,
  isVersioned = false,
  ...row
}: RequestRow<Data>): CommandRow {
  const hasEtag = isVersioned || row.options?.['--if-match <etag>'] !== undefined;
  return {
    ...row,
    ...(!route.startsWith('GET') && { prints: [route, ...(hasEtag ? ['etag'] : [])] }),
    run: async (context, input: Input) => {
      const { output } = context;
      const { params, others } = split(route, row.args, input);
      const { ifMatch, ...options } = others;
      const fields = defined(await read(options as never, context));
      if (route.startsWith('PATCH')) requireChange(fields);
      const request = { ...context.request, ...defined({ ifMatch }) };
      const response = await send(route, context, params, fields, request);
      const record = hasEtag ? withEtag(response) : response.data;
      const name = Object.values(params).at(-1);
      const shown = name instanceof Named ? name.text : String(name ?? 'organization');
      if (done !== undefined && output.isForPeople) await output.result(`${shown} ${done}`);
      else if (route.startsWith('PATCH')) await output.updated(shown, fields, record);
      else await output.record(record);
      const text = typeof note === 'string' ? note : note?.(response.data as Data, input as never);
      if (text !== undefined) output.note(text);
    },
  };
}

/** A command that prints a paginated list. Its arguments and options are parameters of the request. */
interface ListRow<Item> extends Omit<CommandRow, 'run' | 'prints'> {
  readonly route: `GET /${string}`;
  readonly item: string;
  readonly columns: readonly (Column<Item> | (keyof Item & string))[];
  readonly fields?: (input: never, context: Context) => object | Promise<object>;
  /** What to tell when the list is empty. */
  readonly noteIfEmpty?: (fields: object) => string | undefined;
}

export function listCommand<Item extends object>({
  route,
  item,
  columns,
  fields: read = (input: object) => input,
  noteIfEmpty,
  ...row
}: ListRow<Item>): CommandRow {
  return {
    ...row,
    options: { ...row.options, ...pageOptions(item) },
    run: async (context, { limit, offset, all, ...input }: Input & PageOptions) => {
      const { params, others } = split(route, row.args, input);
      const fields = defined(await read(others as never, context));
      const shown = columns.flatMap((each) =>
        typeof each === 'string' ? columnsOf<Item>(each) : [each],
      );
      const readPage: ReadPage<Item> = async (page) => {
        const query = { ...fields, ...page };
        const { data } = await send(route, context, params, query, context.request);
        const note = (data as Page<Item>).total === 0 ? noteIfEmpty?.(fields) : undefined;
        if (note !== undefined) context.output.note(note);
        return data as Page<Item>;
      };
      return listPages(context, { limit, offset, all }, shown, readPage);
    },
  };
}

/** Splits an input into the parameters of the path and the rest. */
function split(route: string, args: CommandRow['args'] = {}, input: Input) {
  const names = Array.from(route.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const inPath = Object.keys(args).slice(0, names.length).map(inputName);
  const params = Object.fromEntries(names.map((name, at) => [name, input[inPath[at] ?? '']]));
  const others = Object.entries(input).filter(([name]) => !inPath.includes(name));
  return { params, others: Object.fromEntries(others) };
}

/** Sends a request, with the operator key to the routes of the operator. */
export async function send(
  route: string,
  context: Context,
  params: Input,
  fields: object,
  request: object,
): Promise<WithResponse<object>> {
  const [method, path] = route.split(' ') as ['GET', `/${string}`];
  const client = await (path.includes('/admin/') ? context.operator() : context.client());
  const sent = await withIds(fields as Input);
  const input = { params: await withIds(params), [method === 'GET' ? 'query' : 'body']: sent };
  const call = client.request(method, path, input as never, request);
  return call.withResponse() as Promise<WithResponse<object>>;
}

/** The options of commands that print a paginated list. */
export interface PageOptions {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly all?: boolean | undefined;
}

export function pageOptions(item: string): OptionRows {
  return {
    '--limit <count>': {
      text: 'number of items, 1 to 100 (default: 25)',
      parse: parsePositive,
      conflicts: 'all',
    },
    '--offset <count>': {
      text: 'number of items to skip',
      parse: parseCount,
      conflicts: 'all',
    },
    '--all': `print every ${item}`,
  };
}

interface PageQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly after?: string;
}

export type ReadPage<Item> = (query: PageQuery) => PromiseLike<Page<Item>>;

/** Prints one page, or with `--all` every page. */
export async function listPages<Item extends object>(
  { output }: Context,
  { limit, offset, all }: PageOptions,
  columns: readonly Column<Item>[],
  read: ReadPage<Item>,
): Promise<undefined> {
  if (all) {
    const pages = readPages((position) => read({ limit: 100, ...position }));
    const items = async function* () {
      for await (const page of pages) yield page.items;
    };
    await output.list(items(), columns);
    return;
  }
  const page = await read({
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
  });
  const { items, ...head } = page;
  await output.list([items], columns, head);
  const shown = page.offset + items.length;
  if (output.format === 'table' && items.length > 0 && shown < page.total) {
    const range = `${formatNumber(page.offset + 1)} to ${formatNumber(shown)}`;
    output.note(`${range} of ${formatNumber(page.total)}; --offset ${shown} shows more`);
  }
}
