import { ValidationError } from '@shorty/sdk';
import { formatRules, parseRules } from './rule-form.js';
import { linesOf, partsOf } from './texts.js';

/** What a field holds while somebody fills it in. An empty text is a value that is not set. */
export type Entry = string | boolean | readonly string[] | readonly Draft[];

export interface Draft {
  readonly [name: string]: Entry;
}

/** How the entry of a field becomes the value of the API, and back. */
interface Kind {
  readonly parse: (entry: never) => unknown;
  readonly format: (value: never) => Entry;
  /** What an empty text means; null by default. */
  readonly whenEmpty?: unknown;
}

const text: Kind = { parse: (entry: string) => entry.trim(), format: String };
const same: Kind = { parse: (entry: Entry) => entry, format: (value: Entry) => value };

export const kinds = {
  text,
  color: text,
  date: text,
  email: text,
  search: text,
  select: text,
  lines: text,
  url: text,
  check: { parse: Boolean, format: Boolean },
  checks: same,
  number: { parse: Number, format: String },
  password: { parse: String, format: String },
  /** In the zone of the browser. */
  'datetime-local': {
    parse: (entry: string) => new Date(entry).toISOString(),
    format: (value: string) => {
      const at = new Date(value);
      return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    },
  },
  /** Until the end of a day, in the zone of the browser. */
  lastDay: {
    parse: (entry: string) => new Date(`${entry}T23:59:59`).toISOString(),
    format: (value: string) => value.slice(0, 'YYYY-MM-DD'.length),
  },
  /** Yes, no, or what something else says. */
  inherited: {
    parse: (entry: string) => entry === 'yes',
    format: (value: boolean) => (value ? 'yes' : 'no'),
  },
  tags: {
    parse: partsOf,
    format: (value: readonly string[]) => value.join(', '),
    whenEmpty: [],
  },
  json: {
    parse: (entry: string) => JSON.parse(entry),
    format: (value: unknown) => JSON.stringify(value, null, 2),
  },
  /** Headers of HTTP, a line each. */
  headers: {
    parse: (entry: string) => Object.fromEntries(linesOf(entry).map(headerOf)),
    format: () => '',
  },
  rows: same,
  rules: { parse: parseRules, format: formatRules },
} as const satisfies Readonly<Record<string, Kind>>;

function headerOf(line: string): readonly [string, string] {
  const [name = '', ...value] = line.split(':');
  return [name.trim(), value.join(':').trim()];
}

/** A field of a form. `name` is that of the API: `preview.title` is a field of the object `preview`. */
export interface Valued {
  readonly name: string;
  readonly kind?: keyof typeof kinds;
  /** The choices of a field that has some. */
  readonly options?: unknown;
  /** The fields of each row, for a field that has rows. */
  readonly rows?: readonly Valued[];
}

function emptyOf({ kind, options, rows = [] }: Valued): Entry {
  if (kind === 'check') return false;
  if (kind === 'checks' || kind === 'rules') return [];
  if (kind === 'rows') return [draftOf(rows, {})];
  if (kind !== 'select') return '';
  const values = (options as readonly (readonly [string, string])[]).map(([value]) => value);
  return values.includes('') ? '' : (values[0] ?? '');
}

/** Returns what the fields hold of a record, or of what a form begins with. */
export function draftOf(fields: readonly Valued[], record: object): Draft {
  return Object.fromEntries(
    fields.map((field) => {
      const path = field.name.split('.');
      const value = path.reduce((part: unknown, name) => Object(part)[name], record);
      const { format }: Kind = kinds[field.kind ?? 'text'];
      return [field.name, value == null ? emptyOf(field) : format(value as never)];
    }),
  );
}

function readEntry({ name, kind = 'text' }: Valued, draft: Draft): unknown {
  const { parse, whenEmpty = null }: Kind = kinds[kind];
  if (draft[name] === '') return whenEmpty;
  try {
    return parse(draft[name] as never);
  } catch (error) {
    const { message } = error as Error;
    throw new ValidationError(message, { details: [{ path: name, message }] });
  }
}

const isEmpty = (value: unknown) =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);

/** Returns the request that creates what the fields hold. What is empty is not in it. */
export function creationOf(fields: readonly Valued[], draft: Draft): object {
  const values = valuesOf(fields, fields, draft);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}

/** Returns the request that changes what differs. Null removes a value. */
export function changesOf(fields: readonly Valued[], before: Draft, after: Draft): object {
  const isChanged = ({ name }: Valued) =>
    JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return valuesOf(fields, fields.filter(isChanged), after);
}

/** Returns the values of some fields by their names, and each object that has one of them as a whole. */
function valuesOf(all: readonly Valued[], some: readonly Valued[], draft: Draft): object {
  const values = some.map((field) => {
    const [parent = ''] = field.name.split('.');
    if (parent === field.name) return [parent, readEntry(field, draft)];
    const parts = all
      .filter(({ name }) => name.startsWith(`${parent}.`))
      .map((part) => [part.name.slice(parent.length + 1), readEntry(part, draft)])
      .filter(([, value]) => !isEmpty(value));
    return [parent, parts.length === 0 ? null : Object.fromEntries(parts)];
  });
  return Object.fromEntries(values);
}
