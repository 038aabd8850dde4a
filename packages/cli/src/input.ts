import { readFuture, readTime } from './analytics/parse-time.js';
import type { CommandRow, Details, RecordKind } from './command.js';
import type { Context } from './context.js';
import { readJson } from './read-input.js';
import { Named } from './records.js';

/** The values of arguments and options by their names in camel case. */
export type Input = Readonly<Record<string, unknown>>;

/** Returns the name of an argument or an option in the input: `urlId` for `--url-id <link>`. */
export function inputName(flags: string): string {
  const [, name = ''] = /(?:--(?:no-)?|[<[])([\w-]+)/.exec(flags) ?? [];
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns an input by the names of fields, with what names of records, times and files stand for. */
export async function readInput(row: CommandRow, input: Input, context: Context): Promise<Input> {
  const values: Record<string, unknown> = { ...input };
  for (const [flags, details] of Object.entries({ ...row.args, ...row.options })) {
    const name = inputName(flags);
    const value = input[name];
    if (typeof details === 'string' || value === undefined) continue;
    const { field = name } = details;
    if (field !== name) delete values[name];
    values[field] = value;
    if (details.record) values[field] = readNames(details, value, values, context);
    else if (details.json) values[field] = await readJson(context, String(value), details.json);
    else if (details.time) {
      const [option = ''] = /--[\w-]+/.exec(flags) ?? [];
      const [text, now] = [String(value), context.io.now()];
      const timeZone = input.timeZone as string | undefined;
      values[field] =
        details.time === 'past'
          ? readTime(option, text, now)
          : readFuture(option, text, now, timeZone, details.time === 'end');
    }
  }
  return values;
}

function readNames(
  { record }: Details,
  value: unknown,
  { organization }: Input,
  context: Context,
): Named | Named[] {
  const toNamed = (text: string) =>
    new Named(record as RecordKind, text, context, { organization: organization as Named });
  if (typeof value === 'string') return toNamed(value);
  const texts = value as readonly string[];
  // No name of a link contains a comma.
  const each = record === 'link' ? texts.flatMap((text) => text.split(',')) : texts;
  return each.map((text) => toNamed(text.trim()));
}

/** Returns the values with the ids of the records that users named. */
// biome-ignore lint/suspicious/noExplicitAny: the server checks the fields of requests.
export async function withIds(values: Input): Promise<Record<string, any>> {
  const idOf = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(idOf));
    return value instanceof Named ? value.id() : value;
  };
  const entries = Object.entries(values).map(async ([name, value]) => [name, await idOf(value)]);
  return Object.fromEntries(await Promise.all(entries));
}
