import { formatNumber } from '@shorty/report';
import type { Page, WithResponse } from '@shorty/sdk';
import {
  type CommandRow,
  type Details,
  defined,
  parseCount,
  parsePositive,
  type RecordKind,
} from '../command.js';
import type { Context } from '../context.js';
import { ifMatchOption, withEtag } from '../etag.js';
import { bodyOf, clearFields, clearOption, fieldOptions, requireChange } from '../field-options.js';
import { type Column, columnsOf } from '../format-rows.js';
import { type Input, inputName, withIds } from '../input.js';
import { type OperationId, operations } from '../operations.js';
import { readPages } from '../read-pages.js';
import { type Connection, kinds, Named, naming } from '../records.js';

/** What a command of one operation has beside what the contract says. */
interface OwnRow extends Partial<Omit<CommandRow, 'run' | 'prints'>> {
  /** Returns the fields of the request, if they are not those of the arguments and options. What is no field is ignored. */
  readonly fields?: (input: never, context: Context) => object | Promise<object>;
}

interface RequestRow<Data> extends OwnRow {
  /** What happened, for people: after the name of the record. By default, they get the record. */
  readonly done?: string;
  /** Whether the option `--clear` empties fields. Then `fields` must not return it. */
  readonly clears?: boolean;
  /** What to tell after the request. */
  readonly note?: string | ((data: Data, input: never) => string | undefined);
  /** Prints the response, if a command has a form of its own for it. */
  readonly print?: (context: Context, data: Data, input: never) => Promise<void>;
}

/** Returns what the commands of an operation have in common. The arguments begin with those of its path. */
export function describeCommand(id: OperationId, row: OwnRow) {
  const { route } = operations[id];
  const { summary = operations[id].summary.replace(/^Read/, 'Show'), args, examples = [] } = row;
  return { ...row, summary, examples, args: { ...argumentsIn(route), ...args } };
}

/** A command that sends one request, and prints its response. By default, its options are the fields of the request. */
export function requestCommand<Data extends object = never>(
  id: OperationId,
  own: RequestRow<Data> = {},
): CommandRow {
  const { fields: read = (input: object) => input, done, clears, note, print, ...row } = own;
  const { route, isVersioned, prints } = operations[id];
  const isPatch = route.startsWith('PATCH');
  return {
    ...describeCommand(id, row),
    prints,
    options: {
      ...(row.options ?? fieldOptions(id, Object.keys(row.args ?? {}).map(inputName))),
      ...(clears && clearOption(id)),
      ...(isVersioned && { '--if-match <etag>': ifMatchOption() }),
    },
    run: async (context, input: Input) => {
      const { output } = context;
      const params = paramsOf(route, input);
      const own: Input = { ...(await read(input as never, context)) };
      const fields = bodyOf(id, own);
      if (clears) clearFields(id, fields, input.clear as string[] | undefined);
      if (isPatch) requireChange(fields);
      const request = { ...context.request, ...defined({ ifMatch: input.ifMatch ?? own.ifMatch }) };
      const name = Object.values(params).at(-1);
      // Finding a link by its name has read it.
      const record =
        name instanceof Named && name.route === route
          ? await name.read()
          : withEtag(await send(route, context, params, fields, request));
      const shown = name instanceof Named ? name.text : String(name ?? 'organization');
      if (print) await print(context, record as object as Data, input as never);
      else if (done !== undefined && output.isForPeople) await output.result(`${shown} ${done}`);
      else if (isPatch) await output.updated(shown, fields, record);
      else await output.record(record);
      const text =
        typeof note === 'string' ? note : note?.(record as object as Data, input as never);
      if (text !== undefined) output.note(text);
    },
  };
}

interface ListRow<Item> extends OwnRow {
  readonly columns: Columns<Item> | ((context: Context) => Columns<Item>);
}

type Columns<Item> = readonly (Column<Item> | (keyof Item & string))[];

/** A command that prints a paginated list. By default, its options are the parameters of the request. */
export function listCommand<Item extends object>(
  id: OperationId,
  { columns, fields: read = (input: object) => input, ...row }: ListRow<Item>,
): CommandRow {
  const { route } = operations[id];
  return {
    ...describeCommand(id, row),
    options: {
      ...(row.options ?? fieldOptions(id)),
      '--limit <count>': {
        text: 'number of items, 1 to 100 (default: 25)',
        parse: parsePositive,
        conflicts: 'all',
      },
      '--offset <count>': { text: 'number of items to skip', parse: parseCount, conflicts: 'all' },
      '--all': 'print all, not only one page',
    },
    run: async (context, { limit, offset, all, ...input }: Input) => {
      const { output } = context;
      const params = paramsOf(route, input);
      const fields = bodyOf(id, await read(input as never, context));
      const wanted = typeof columns === 'function' ? columns(context) : columns;
      const shown = wanted.flatMap((each) =>
        typeof each === 'string' ? columnsOf<Item>(each) : [each],
      );
      const readPage = async (page: object) => {
        const sent = { ...fields, ...page };
        const { data } = await send(route, context, params, sent, context.request);
        return data as Page<Item>;
      };
      if (all) {
        const pages = readPages((position) => readPage({ limit: 100, ...position }));
        const items = async function* () {
          for await (const page of pages) yield page.items;
        };
        return output.list(items(), shown);
      }
      const { items, ...head } = await readPage(defined({ limit, offset }));
      await output.list([items], shown, head);
      const end = head.offset + items.length;
      if (output.format === 'table' && items.length > 0 && end < head.total) {
        const range = `${formatNumber(head.offset + 1)} to ${formatNumber(end)}`;
        output.note(`${range} of ${formatNumber(head.total)}; --offset ${end} shows more`);
      }
    },
  };
}

/** Returns the arguments of a path, by the kinds of records that they name. */
function argumentsIn(route: string): Record<string, Details> {
  const entries = Object.entries(kinds).flatMap(([kind, { noun, place }]) =>
    route.includes(place) ? [[`<${noun.replace('QR ', '')}>`, naming(kind as RecordKind)]] : [],
  );
  return Object.fromEntries(entries);
}

/** Returns the parameters of the path, whose arguments come first. */
function paramsOf(route: string, input: Input): Input {
  const names = Array.from(route.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const values = Object.values(input);
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

/** Sends a request, with the operator key to the routes of the operator. */
export async function send(
  route: string,
  context: Connection,
  params: Input,
  fields: object,
  request: object,
): Promise<WithResponse<object>> {
  const [method, path] = route.split(' ') as ['GET', `/${string}`];
  const client = await (path.includes('/admin/') ? context.operator() : context.client());
  const sent = await withIds(fields as Input);
  // A password protects a link, and null ends that.
  if (sent.password !== undefined) sent.isPasswordProtected = sent.password !== null;
  const input = { params: await withIds(params), [method === 'GET' ? 'query' : 'body']: sent };
  const call = client.request(method, path, input as never, request);
  return call.withResponse() as Promise<WithResponse<object>>;
}
