import type { RequestInput } from './calls.js';
import { checkOptions, checkQuery } from './check-options.js';
import { refuse } from './errors.js';

const inputNames: Readonly<Record<keyof RequestInput, true>> = {
  ...{ params: true, query: true, body: true },
};

/** Returns the method of a route, its path with parameters, and the query with its question mark. */
export function buildTarget(
  route: string,
  input: RequestInput,
): { method: string; path: string; search: string } {
  checkOptions(input, inputNames, 'input');
  const { params, query } = input;
  checkQuery(query);
  const [method, template] = route.split(/ (.*)/s) as [string, string];
  // Otherwise the path could continue the host name.
  if (template?.[0] !== '/') refuse('path', 'a path from /', template);
  const path = template.replace(/{(\w+)}/g, (_, name) => escapeValue(name, params?.[name]));
  const given = JSON.parse(toJson({ ...query }));
  const search = new URLSearchParams();
  // A parameter that is null is left out, like an undefined one. A list is repeated.
  for (const name in given)
    for (const value of [given[name] ?? []].flat()) search.append(name, value);
  return { method, path, search: `${search}` && `?${search}` };
}

/** Returns JSON, in which instants have the ISO form. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, text) {
    const given = this[name];
    const isInList = Array.isArray(this);
    const isNull = (text ?? null) === null || (typeof text === 'number' && !Number.isFinite(text));
    // As null, an undefined item or an invalid number would clear the field.
    if (isNull && (isInList || (text !== undefined && given !== null))) {
      refuse(isInList ? `item ${name}` : name, 'valid', given);
    }
    return text;
  });
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
