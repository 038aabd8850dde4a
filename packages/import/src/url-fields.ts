import {
  type ParseCell,
  parseBoolean,
  parseInteger,
  parseJsonList,
  parseJsonObject,
  parseTags,
  parseText,
  parseWebUrl,
} from './cell-values.js';
import { linkFields, readOnlyFields } from './generated/link-fields.js';
import { parseEnd, parseTime } from './instant-cell.js';
import { type LinkSource, targetColumns } from './link-sources.js';

/** The columns that a file can have. */
export interface FieldSet {
  readonly fields: Readonly<Record<string, ParseCell>>;
  /** Other names of fields, in lower case without `_`, `-` and spaces. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The field without which a file is rejected. */
  readonly required: string;
  /** Columns that name a link in a file without a column `id`, as its short URL does. */
  readonly keys?: readonly string[];
  /** Fields that the server sets. An exported file contains them, and an import skips them. */
  readonly readOnly: readonly string[];
  /** The service that wrote the file, if it is known. Its columns come first. */
  readonly source?: LinkSource;
}

/** A field of the contract: the kind of its values, and their rules. */
interface FieldRules {
  readonly kind: 'text' | 'integer' | 'boolean' | 'texts' | 'object' | 'list';
  readonly isCreated?: boolean;
  readonly isUpdated?: boolean;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}

const fieldRules: Readonly<Record<string, FieldRules>> = linkFields;

const parsers: Readonly<Record<FieldRules['kind'], ParseCell>> = {
  text: parseText,
  integer: parseInteger,
  boolean: parseBoolean,
  texts: parseTags,
  object: parseJsonObject,
  list: parseJsonList,
};

function fieldsOf(set: 'isCreated' | 'isUpdated'): Readonly<Record<string, ParseCell>> {
  const fields = Object.entries(fieldRules).filter(([, field]) => field[set]);
  return Object.fromEntries(fields.map(([name, rules]) => [name, parserOf(name, rules)]));
}

function parserOf(name: string, { kind, pattern = '' }: FieldRules): ParseCell {
  if (pattern.startsWith('^\\d{4}-')) return name === 'expiresAt' ? parseEnd : parseTime;
  return pattern.includes('[Hh][Tt][Tt][Pp]') ? parseWebUrl : parsers[kind];
}

// A column that is the target in the export of another link shortener is the target in any file.
const targetAliases = Object.fromEntries(targetColumns().map((name) => [name, 'targetUrl']));
const addedByGet = 'etag';

export const createFields: FieldSet = {
  fields: fieldsOf('isCreated'),
  aliases: {
    ...targetAliases,
    slug: 'customSlug',
    active: 'isActive',
    // An exported link keeps its code.
    shortcode: 'importedCode',
    createdat: 'importedCreatedAt',
  },
  required: 'targetUrl',
  readOnly: [...readOnlyFields, addedByGet],
};

const updated = fieldsOf('isUpdated');

/** The columns of a file by which links can be found, beside `id`. */
export const linkKeys = ['shorturl', 'link', 'customslug', 'slug', 'shortcode', 'code'];

export const updateFields: FieldSet = {
  fields: { id: parseText, ...updated },
  aliases: { ...targetAliases, active: 'isActive' },
  required: 'id',
  keys: linkKeys,
  readOnly: [...Object.keys(linkFields), ...readOnlyFields, addedByGet].filter(
    (name) => name !== 'id' && !Object.hasOwn(updated, name),
  ),
};

/**
 * Returns the rules of the contract that a new link breaks, or undefined. The server checks more: whether
 * a slug is taken or reserved, for example.
 */
export function findItemError(
  item: Readonly<Record<string, unknown>>,
  now = Date.now(),
): string | undefined {
  const { expiresAt, password, isPasswordProtected } = item;
  const errors = typeof item.targetUrl === 'string' ? [] : ['targetUrl is required'];
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= now) {
    errors.push(`expiresAt is "${expiresAt}": it must lie in the future`);
  }
  if (isPasswordProtected === true && password == null) {
    errors.push('password is needed when isPasswordProtected is true');
  } else if (isPasswordProtected === false && password != null) {
    errors.push('isPasswordProtected must be true when a password is given');
  }
  for (const [name, value] of Object.entries(item)) {
    const rules = fieldRules[name];
    const rule = rules && value !== undefined ? brokenRule(value, rules) : undefined;
    if (rule === undefined) continue;
    const isShown = name !== 'password' && typeof value !== 'object';
    errors.push(isShown ? `${name} is ${JSON.stringify(value)}: it ${rule}` : `${name} ${rule}`);
  }
  return errors.length === 0 ? undefined : errors.join('; ');
}

function brokenRule(value: unknown, rules: FieldRules): string | undefined {
  const { minLength = 0, maxLength, minimum, maximum, maxItems, pattern } = rules;
  if (rules.enum && !rules.enum.includes(value)) return `must be ${rules.enum.join(', ')}`;
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems) {
    return `must have at most ${maxItems} values`;
  }
  if (typeof value === 'number') {
    if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
    if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  }
  if (typeof value !== 'string') return undefined;
  if (value.length < minLength) return `must have at least ${minLength} characters`;
  if (maxLength !== undefined && value.length > maxLength) {
    return `must have at most ${maxLength} characters`;
  }
  if (pattern === undefined || new RegExp(pattern).test(value)) return undefined;
  if (pattern.includes('[Hh][Tt][Tt][Pp]')) return 'must start with http:// or https://';
  return pattern.includes('\\d{4}-')
    ? 'must be a time such as 2030-12-31'
    : 'has other characters than are allowed';
}
