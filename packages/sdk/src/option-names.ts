import { refuse, ShortyConfigError } from './errors.js';
import { nearestName } from './generated/nearest-name.js';

/** Throws ShortyConfigError for an option that nobody reads, which is usually misspelt. */
export function checkOptionNames(options: object, known: Readonly<Record<string, true>>): void {
  if (Object(options) !== options) refuse('options', 'an object', options);
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, names);
  const hint = near === undefined ? `use ${names.sort().join(', ')}` : `did you mean ${near}?`;
  throw new ShortyConfigError(unknown, `is not an option: ${hint}`);
}
