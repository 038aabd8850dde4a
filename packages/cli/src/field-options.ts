import { InvalidArgumentError } from 'commander';
import { UsageError, unknownName } from './cli-error.js';
import { type Details, defined, type OptionRows, parseCount, repeatable } from './command.js';
import { clearableFields, type FieldSchema, type OperationId, operations } from './operations.js';
import { naming, namingSeveral } from './records.js';

export const times = ['since', 'until', 'createdSince', 'createdUntil'];
const records = { urlId: 'link', domainId: 'domain' } as const;
// Lists have options of their own for these.
const pageFields = ['limit', 'offset', 'after', 'view'];

/**
 * Returns an option for each field of a body that is a text, a number or a boolean, or for each query
 * parameter, as the contract describes it. A list of values in a query is repeatable. Lists and objects of a
 * body need options of their own.
 */
export function fieldOptions(operation: OperationId, except: readonly string[] = []): OptionRows {
  const { route, properties, required = [] } = operations[operation];
  const isQuery = route.startsWith('GET');
  const hidden = isQuery ? [...pageFields, ...except] : except;
  const fields = Object.entries(properties).filter(([name]) => !hidden.includes(name));
  const rows = fields.flatMap(([name, field]) => {
    const options = optionsOf(name, field, isQuery);
    return required.includes(name) ? options.map(toRequired) : options;
  });
  return Object.fromEntries(rows);
}

function toRequired([flags, row]: [string, Details | string]): [string, Details] {
  return [flags, { ...(typeof row === 'string' ? { text: row } : row), isRequired: true }];
}

function optionsOf(
  name: string,
  field: FieldSchema,
  isQuery: boolean,
): [string, Details | string][] {
  // `--active` for `isActive`.
  const flag = kebabCase(name).replace(/^is-/, '');
  const text = firstSentence(field.description ?? '');
  const isList = field.type === 'array';
  if (isQuery && (name === 'urlId' || name === 'domainId')) {
    const kind = records[name];
    return [[`--${flag} <${kind}>`, (isList ? namingSeveral : naming)(kind, text)]];
  }
  if (times.includes(name)) return [[`--${flag} <time>`, { text, time: 'past' }]];
  if (isQuery && isList) return [[`--${flag} <value>`, repeatable(text)]];
  // A field that may be null has no option for it: --clear names it.
  const value = field.anyOf?.find((each) => each.type !== 'null') ?? field;
  const type = [value.type].flat().find((each) => each !== 'null');
  if (value.enum) {
    const choices = value.enum.filter((each) => each !== null).map(String);
    // A status, such as 307.
    const isNumber = typeof value.enum[0] === 'number';
    const parse = (value: string) => parseNumber(value, choices);
    return [
      [`--${flag} <${flag.split('-').at(-1)}>`, { text, choices, ...(isNumber && { parse }) }],
    ];
  }
  if (type === 'boolean') {
    const opposite = `the opposite of --${flag}`;
    const values = /^true: (.*?); false: (.*?)\./.exec(field.description ?? '') ?? [];
    const [, yes = text, no = opposite] = values;
    return [
      [`--${flag}`, yes],
      [`--no-${flag}`, no],
    ];
  }
  if (type === 'integer') return [[`--${flag} <number>`, { text, parse: parseCount }]];
  return type === 'string' ? [[`--${flag} <${placeholderOf(name)}>`, text]] : [];
}

/** Returns the name of an option: `utm-source` for `utmSource`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function placeholderOf(name: string): string {
  const [, ending = ''] = /(Url|Id|At|Color)$/.exec(name) ?? [];
  return { Url: 'url', Id: 'id', At: 'time', Color: 'hex' }[ending] ?? 'text';
}

// Also up to a colon, but a word before one, such as a value, is no sentence.
function firstSentence(description: string): string {
  const [, text = description.replace(/\.$/, '')] = /^(.{20,}?)[:.](?: |$)/.exec(description) ?? [];
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function parseNumber(text: string, choices: readonly string[]): number {
  if (choices.includes(text)) return Number(text);
  const list = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  throw new InvalidArgumentError(`It must be ${list}.`);
}

/** Returns the fields of a request that the arguments and options of a command have set. */
export function bodyOf(operation: OperationId, input: object): Record<string, unknown> {
  const { properties } = operations[operation];
  const fields = Object.entries(defined(input)).flatMap(([name, value]) => {
    const names = [name, `is${name.charAt(0).toUpperCase()}${name.slice(1)}`];
    const field = names.find((each) => Object.hasOwn(properties, each));
    return field === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(fields);
}

/** Returns the option that empties fields. */
export function clearOption(operation: OperationId): OptionRows {
  const names = Object.keys(clearableFields(operation)).join(', ');
  return { '--clear <field>': repeatable(`field to clear: ${names}`) };
}

/** Empties the fields that `--clear` names. */
export function clearFields(
  operation: OperationId,
  patch: object,
  names: readonly string[] = [],
): void {
  const fields = patch as Record<string, unknown>;
  const clearable = clearableFields(operation);
  const known = Object.keys(clearable);
  for (const name of names) {
    const spelling = name.replaceAll(/[-_]/g, '').toLowerCase();
    const field = known.find((each) => each.toLowerCase() === spelling);
    if (!field) throw unknownName(`--clear ${name}: unknown field`, name, known);
    if (field in patch) throw new UsageError(`--clear ${name}: another option sets this field`);
    fields[field] = clearable[field];
  }
}

/** Throws a UsageError if no option has set a field. */
export function requireChange(patch: object): void {
  if (Object.keys(patch).length > 0) return;
  throw new UsageError('nothing to change', 'set at least one option; see --help');
}
