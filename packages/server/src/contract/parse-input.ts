import type { z } from 'zod';
import { shorten, truncateText } from './api-error.js';
import type { ErrorDetail } from './errors.js';
import { nearestName } from './nearest-name.js';

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  /** The first errors, and the number of all. */
  | { readonly ok: false; readonly details: readonly ErrorDetail[]; readonly count: number };

// A hostile body can have thousands of errors and long names.
const maxDetails = 100;
const maxPathLength = 200;
const maxSuggestions = 5;

/**
 * Validates input by a schema of the contract. Errors have the path of their field, below `base`, its
 * value and the rule.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  base: readonly PropertyKey[] = [],
): Parsed<z.output<Schema>> {
  const result = schema.safeParse(input, { error: describe });
  if (result.success) return { ok: true, value: result.data };
  // Functions, because only the first errors are formatted.
  const errors = result.error.issues.flatMap((issue): (() => ErrorDetail)[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key, at) => () => ({
          path: pathOf([...base, ...issue.path, key]),
          // A hostile body can have thousands of unknown fields.
          message: unknownField(key, at < maxSuggestions ? issue.message.split(' ') : []),
        }))
      : [() => ({ path: pathOf([...base, ...issue.path]), message: withValue(issue, input) })],
  );
  const details = errors.slice(0, maxDetails).map((format) => format());
  return { ok: false, details, count: errors.length };
}

function unknownField(key: string, known: readonly string[]): string {
  // A PATCH of a link lacks it, and the nearest name would be that of the UTM parameters.
  if (key === 'customSlug' && known.includes('customUtmParams')) {
    return 'cannot change after the creation';
  }
  const near = nearestName(key, known);
  return `is not a known field here${near === undefined ? '' : `: did you mean ${near}?`}`;
}

/** The names of fields whose values no error repeats: passwords, secrets, and the headers of webhooks. */
export const secretNames = /password|secret|headers/i;

/** Returns the message with the value that the rule refuses: a single one, or the wrong kind of value. */
function withValue(issue: z.core.$ZodIssue, input: unknown): string {
  const { path, message, code } = issue;
  if (!message.startsWith('must ') || path.some((name) => secretNames.test(String(name)))) {
    return message;
  }
  if (code === 'invalid_key') return `has the name ${quote(path.at(-1))}: it ${message}`;
  const value = path.reduce(partOf, input);
  if (value === undefined) return message;
  if (typeof value !== 'object' || value === null) {
    const isMisspelt = code === 'invalid_value' && typeof value === 'string';
    const near = isMisspelt ? nearestName(value, issue.values.map(String)) : undefined;
    return `is ${quote(value)}: it ${message}${near ? `; did you mean ${near}?` : ''}`;
  }
  const isWrongKind = code === 'invalid_type' || code === 'invalid_union';
  return isWrongKind ? `is ${kindOf(value)}: it ${message}` : message;
}

function quote(value: unknown): string {
  return JSON.stringify(typeof value === 'string' ? shorten(value) : value);
}

function kindOf(value: object): string {
  return Array.isArray(value) ? 'a list' : 'a JSON object';
}

function partOf(parent: unknown, name: PropertyKey): unknown {
  const isParent = typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name);
  return isParent ? (parent as Readonly<Record<PropertyKey, unknown>>)[name] : undefined;
}

/** Converts `['urls', 3, 'targetUrl']` to `urls[3].targetUrl`. */
function pathOf(segments: readonly PropertyKey[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else path += path === '' ? String(segment) : `.${String(segment)}`;
  }
  return path.length > maxPathLength ? `${truncateText(path, maxPathLength)}…` : path;
}

const articles: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a list',
  record: 'a JSON object of strings',
};

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

// Zod calls it only when the schema has no message of its own.
function describe(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is required (${articles[issue.expected] ?? issue.expected})`
        : `must be ${articles[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return `must be at most ${issue.maximum} ${unitOf(issue.origin)}`.trimEnd();
    case 'too_small':
      return `must be at least ${issue.minimum} ${unitOf(issue.origin)}`.trimEnd();
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message;
    // The names of the known fields, which the issue itself does not have.
    case 'unrecognized_keys':
      return Object.keys((issue.inst as z.ZodObject | undefined)?.shape ?? {}).join(' ');
    default:
      return undefined;
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return 'characters long';
  return origin === 'array' ? 'items long' : '';
}
