import type { RequestInput } from './calls.js';
import { refuse } from './errors.js';

/** Returns the method of a route, its path with parameters, and the query with its question mark. */
export function buildTarget(
  route: string,
  { params, query = {} }: RequestInput,
): { method: string; path: string; search: string } {
  const [method = '', template = ''] = route.split(' ');
  // Otherwise the path could continue the host name.
  if (!template.startsWith('/')) refuse('path', 'a path from /', template);
  const path = template.replace(/\{(\w+)\}/g, (_, name) => escapeSegment(name, params?.[name]));
  const search = new URLSearchParams(JSON.parse(toJson(query))).toString();
  return { method, path, search: search && `?${search}` };
}

/** Returns JSON, in which instants have the ISO form. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, text) {
    // As null, it would clear the field.
    if (text === null && this[name] !== null) refuse(name, 'valid', this[name]);
    return text;
  });
}

function escapeSegment(name: string, segment: unknown): string {
  const text = encodeURIComponent(segment as string);
  // Other values would be sent as their text, such as `null`. URL parsers resolve `.` and `..`, even if
  // they are escaped. That would change the path.
  if ((segment !== `${segment}` && !Number.isFinite(segment)) || /^\.{0,2}$/.test(text)) {
    refuse(name, 'a name or a number', segment);
  }
  return text;
}
