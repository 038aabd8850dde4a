import { type LinkVariant, ValidationError } from '@shorty/sdk';
import type { ComponentChildren, JSX } from 'preact';
import { joinParts, linesOf, partsOf } from './texts.js';

/** What a field holds while somebody fills it in. An empty text is a value that is not set. */
export type Entry = string | boolean | readonly string[] | readonly Draft[];

/** The row of the API that a draft comes from. */
const original = Symbol('original');

export type Draft = { readonly [name: string]: Entry; readonly [original]?: object };

/** How the entry of a field becomes the value of the API, and back. */
interface Kind {
  readonly parse: (entry: never) => unknown;
  readonly format: (value: never) => Entry;
  /** What an empty text means; null by default. */
  readonly whenEmpty?: unknown;
}

const text: Kind = { parse: (entry: string) => entry.trim() || null, format: String };
const same: Kind = { parse: (entry: Entry) => entry, format: (value: Entry) => value };

const kinds = {
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
  /** From the start of a day, and until the end of one, in the zone of the browser. */
  firstDay: { parse: (entry: string) => new Date(`${entry}T00:00`).toISOString(), format: String },
  lastDay: {
    parse: (entry: string) => new Date(`${entry}T23:59:59.999`).toISOString(),
    format: String,
  },
  tags: { parse: partsOf, format: joinParts, whenEmpty: [] },
  json: {
    parse: (entry: string) => JSON.parse(entry),
    format: (value: unknown) => JSON.stringify(value, null, 2),
  },
  /** Headers of HTTP, a line each. */
  headers: {
    parse: (entry: string) =>
      Object.fromEntries(linesOf(entry).map((line) => splitOnce(line, ':'))),
    format: () => '',
  },
  /** Parameters of a query: those without a value may have any. */
  query: {
    parse: (entry: string) =>
      Object.fromEntries(
        partsOf(entry).map((part) => (part.includes('=') ? splitOnce(part, '=') : [part, true])),
      ),
    format: (value: Readonly<Record<string, string | true>>) =>
      joinParts(
        Object.entries(value).map(([name, each]) => (each === true ? name : `${name}=${each}`)),
      ),
  },
  /** The targets of a rule, a line each. */
  variants: {
    parse: (entry: string) =>
      linesOf(entry).map((line) => {
        const [weight, targetUrl] = splitOnce(line, ' ');
        return { weight: Number.isNaN(Number(weight)) ? weight : Number(weight), targetUrl };
      }),
    format: (value: readonly LinkVariant[]) =>
      value.map(({ weight, targetUrl }) => `${weight} ${targetUrl}`).join('\n'),
  },
  rules: same,
} as const satisfies Readonly<Record<string, Kind>>;

/** Returns what stands before and after the first separator. */
function splitOnce(text: string, separator: string): readonly [string, string] {
  const [first = '', ...rest] = text.split(separator);
  return [first.trim(), rest.join(separator).trim()];
}

/** Types of `<input>` whose entry is the value, and a choice. */
type TextKind = 'color' | 'date' | 'email' | 'search' | 'select' | 'text' | 'url';

/** A value and what people read. */
export type Option = readonly [value: string, text: string];

/** What the parts of a form can read and set while somebody fills it in. */
export interface Filling {
  readonly draft: Draft;
  readonly set: (name: string, entry: Entry) => void;
}

type InputAttributes = JSX.InputHTMLAttributes<HTMLInputElement>;

/** A field of a form, with what the browser checks. */
export interface Field
  extends Pick<InputAttributes, 'autocomplete' | 'autofocus' | 'max' | 'min' | 'readOnly'> {
  /** That of the API: `preview.title` is a field of the object `preview`. */
  readonly name: string;
  readonly kind?: keyof typeof kinds | TextKind;
  readonly label: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  /** What to enter, below the field. */
  readonly hint?: string | ((filling: Filling) => ComponentChildren) | undefined;
  /** The choices of a field that has some, which may depend on what is entered. */
  readonly options?: readonly Option[] | ((filling: Filling) => readonly Option[]) | undefined;
  /** The fields of each row, for a field that has rows. */
  readonly rows?: readonly Field[];
}

export const optionsOf = (values: readonly string[]): readonly Option[] =>
  values.map((value) => [value, value]);

/** Returns a field, whose text is the value of the API unless it has another kind. */
export const field = (
  name: string,
  label: string,
  more: Omit<Field, 'name' | 'label'> = {},
): Field => ({ name, label, ...more });

/** Returns a field with some choices. */
export const select = (name: string, label: string, options: readonly Option[]): Field =>
  field(name, label, { kind: 'select', options });

const kindOf = ({ kind = 'text' }: Field): Kind =>
  kind in kinds ? kinds[kind as keyof typeof kinds] : text;

function emptyOf({ kind, options }: Field): Entry {
  if (kind === 'check') return false;
  if (kind === 'checks' || kind === 'rules') return [];
  if (kind !== 'select') return '';
  const values = (options as readonly Option[]).map(([value]) => value);
  return values.includes('') ? '' : (values[0] ?? '');
}

/** Returns what the fields hold of a record, or of what a form begins with. */
export const draftOf = (fields: readonly Field[], record: object): Draft =>
  Object.fromEntries(fields.map((field) => [field.name, entryOf(field, record)]));

function entryOf(field: Field, record: object): Entry {
  const value = valueIn(record, field);
  const entry = value == null ? emptyOf(field) : kindOf(field).format(value as never);
  const { rows } = field;
  return rows ? rowsOf(entry).map((row) => ({ ...draftOf(rows, row), [original]: row })) : entry;
}

const valueIn = (record: object, { name }: Field): unknown =>
  name.split('.').reduce((part: unknown, each) => Object(part)[each], record);

const rowsOf = (entry: Entry | undefined) => entry as readonly Draft[];

function readEntry(field: Field, draft: Draft): unknown {
  const { name, rows } = field;
  // A rule without conditions matches all visits.
  if (rows) return rowsOf(draft[name]).map((row) => ({ when: {}, ...creationOf(rows, row) }));
  // An entry may have less than its value, such as no seconds.
  const { [original]: row = {} } = draft;
  const stored = valueIn(row, field);
  if (stored != null && draft[name] === entryOf(field, row)) return stored;
  const { parse, whenEmpty = null } = kindOf(field);
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
export function creationOf(fields: readonly Field[], draft: Draft): object {
  const values = valuesOf(fields, fields, draft);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}

/** Returns the request that changes what differs. Null removes a value. */
export function changesOf(fields: readonly Field[], before: Draft, after: Draft): object {
  const isChanged = ({ name }: Field) =>
    JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return valuesOf(fields, fields.filter(isChanged), after);
}

/** Returns the values of some fields by their names, and each object that has one of them as a whole. */
function valuesOf(all: readonly Field[], some: readonly Field[], draft: Draft): object {
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
