import type { RequestInput } from './calls.js';
import { refuse } from './errors.js';
import { requiredInput } from './generated/required-input.js';

/**
 * Returns the method of a route, its path with parameters, and the query with its question mark. Refuses
 * input that lacks what the route requires.
 */
export function buildTarget(
  route: string,
  { params, query, body }: RequestInput,
): { method: string; path: string; search: string } {
  const space = route.indexOf(' ');
  const method = route.slice(0, space);
  const template = route.slice(space + 1);
  // Otherwise the path could continue the host name.
  if (!template.startsWith('/')) refuse('path', 'a path from /', template);
  const path = template.replace(/\{([^{}]*)\}/g, (_, name) => escapeValue(name, params?.[name]));
  const required = method === 'PATCH' ? 'body' : requiredInput[route];
  const values = query as Record<string, unknown> | undefined;
  if (required === 'body') {
    if (Object(body) !== body) refuse(required, 'present', body);
  } else if (required) escapeValue(required, values?.[required]);
  // A parameter that is null is left out, like an undefined one.
  const given = values && JSON.parse(toJson(values), (_, value) => value ?? undefined);
  const search = `${new URLSearchParams(given)}`;
  return { method, path, search: search && `?${search}` };
}

/** Returns JSON, in which instants have the ISO form. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, text) {
    const given = this[name];
    const isNull = text === null || (typeof text === 'number' && !Number.isFinite(text));
    // As null, it would clear the field.
    if (isNull && given !== null) refuse(name, 'valid', given);
    if (Array.isArray(text)) checkItems(name, text);
    return text;
  });
}

/** Refuses a list if an item, or the `id` of an item, is undefined, null, empty or not a number. */
export function checkItems(list: string, items: readonly unknown[], firstIndex = 0): void {
  for (const [at, item] of items.entries()) {
    const hasId = item instanceof Object && 'id' in item;
    const value = hasId ? item.id : item;
    const name = `${list}[${firstIndex + at}]${hasId ? '.id' : ''}`;
    if (!value && value !== 0) refuse(name, 'present', value);
  }
}

function escapeValue(name: string, value: unknown): string {
  const text = encodeURIComponent(value as string);
  // Other values would be sent as their text, such as `null`. URL parsers resolve `.` and `..`, even if
  // they are escaped. That would change the path.
  if ((value !== `${value}` && !Number.isFinite(value)) || /^\.{0,2}$/.test(text)) {
    refuse(name, 'a name or a number', value);
  }
  return text;
}
