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
  const [method, template] = route.split(/ (.*)/s) as [string, string];
  // Otherwise the path could continue the host name.
  if (template?.[0] !== '/') refuse('path', 'a path from /', template);
  const path = template.replace(/{(\w+)}/g, (_, name) => escapeValue(name, params?.[name]));
  const required = /^P(UT|ATCH)$/.test(method) ? 'body' : requiredInput[route];
  const values = { ...query } as Record<string, unknown>;
  if (required === 'body') {
    if (Object(body) !== body) refuse(required, 'present', body);
  } else if (required) escapeValue(required, values[required]);
  const given = JSON.parse(toJson(values));
  const search = new URLSearchParams();
  // A parameter that is null is left out, like an undefined one. A list is repeated; toJson refuses null
  // in it.
  for (const name in given)
    for (const value of [given[name] ?? []].flat()) search.append(name, value);
  return { method, path, search: `${search}` && `?${search}` };
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
    const hasId = 'id' in Object(item);
    const value = hasId ? Object(item).id : item;
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
