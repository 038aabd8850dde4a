import type { RequestInput } from './calls.js';
import { ShortyConfigError } from './errors.js';

/** Returns the method of a route, its path with parameters, and the query with its question mark. */
export function buildTarget(
  route: string,
  { params, query = {} }: RequestInput,
): { method: string; path: string; search: string } {
  const [method = '', template = ''] = route.split(' ');
  // Otherwise the path could continue the host name.
  if (!template.startsWith('/')) throw new ShortyConfigError('path', 'must start with /');
  const path = template.replace(/\{(\w+)\}/g, (_, name) => escapeSegment(name, params?.[name]));
  const search = new URLSearchParams(JSON.parse(toJson(query))).toString();
  return { method, path, search: search && `?${search}` };
}

/** Returns JSON, in which instants have the ISO form. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, text) {
    // As null, it would clear the field.
    if (text === null && this[name] !== null) throw new ShortyConfigError(name, 'is not valid');
    return text;
  });
}

function escapeSegment(name: string, segment: string | number = ''): string {
  const text = encodeURIComponent(segment);
  // URL parsers resolve `.` and `..`, even if they are escaped. That would change the path.
  if (/^\.{0,2}$/.test(text)) throw new ShortyConfigError(name, `cannot be "${text}"`);
  return text;
}
