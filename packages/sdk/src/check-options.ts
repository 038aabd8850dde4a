import { refuse, ShortyConfigError } from './errors.js';
import { nearestName } from './generated/nearest-name.js';
import type { RequestOptions } from './options.js';

/**
 * Throws ShortyConfigError for an option that nobody reads, which is usually misspelt, and for a
 * signal that is another object, such as its controller.
 */
export function checkOptions(
  options: object,
  known: Readonly<Record<string, true>>,
  name = 'options',
): void {
  checkObject(name, options);
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((each) => !names.includes(each));
  if (unknown === undefined) {
    const { signal } = options as RequestOptions;
    if (signal && !signal.throwIfAborted) refuse('signal', 'an AbortSignal', signal);
    return;
  }
  const near = nearestName(unknown, names);
  const hint = near === undefined ? `use ${names.sort().join(', ')}` : `did you mean ${near}?`;
  throw new ShortyConfigError(unknown, `is not an option: ${hint}`);
}

export function checkObject(name: string, value: unknown): void {
  // Without the value, which may be an API key.
  if (Object(value) !== value) throw new ShortyConfigError(name, 'must be an object');
}

/** Throws ShortyConfigError for a query that is a text, a list or URLSearchParams. */
export function checkQuery(query: unknown): void {
  if ({}.toString.call(query ?? {}) !== '[object Object]') refuse('query', 'a plain object', query);
}

export function checkNumber(option: string, value: number, isZeroAllowed = false): void {
  if (typeof value === 'number' && (value > 0 || (isZeroAllowed && value === 0))) return;
  refuse(option, `a number ${isZeroAllowed ? 'from' : 'above'} 0`, value);
}
