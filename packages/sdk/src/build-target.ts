import type { RequestInput } from './calls.js';
import { refuse } from './errors.js';

/** Returns the method of a route, its path with parameters, and the query with its question mark. */
export function buildTarget(
  route: string,
  { params, query }: RequestInput,
): { method: string; path: string; search: string } {
  const space = route.indexOf(' ');
  const method = route.slice(0, space);
  const template = route.slice(space + 1);
  // Otherwise the path could continue the host name.
  if (!template.startsWith('/')) refuse('path', 'a path from /', template);
  let path = template;
  // Without regular expressions, which cost more than the rest of a call. A value has no brace: it is
  // escaped.
  for (;;) {
    const at = path.indexOf('{');
    const end = path.indexOf('}', at);
    if (at < 0 || end < 0) break;
    const name = path.slice(at + 1, end);
    path = path.slice(0, at) + escapeSegment(name, params?.[name]) + path.slice(end + 1);
  }
  const search = query ? new URLSearchParams(JSON.parse(toJson(query))).toString() : '';
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
  if ((segment !== `${segment}` && !Number.isFinite(segment)) || ['', '.', '..'].includes(text)) {
    refuse(name, 'a name or a number', segment);
  }
  return text;
}
