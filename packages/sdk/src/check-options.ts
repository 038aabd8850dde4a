import { ShortyConfigError } from './errors.js';
import { nearestName } from './generated/nearest-name.js';

/** Throws ShortyConfigError for an option that nobody reads, which is usually misspelt. */
export function checkOptionNames(options: object, known: Readonly<Record<string, true>>): void {
  // Without the value, which may be an API key.
  if (Object(options) !== options) throw new ShortyConfigError('options', 'must be an object');
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, names);
  const hint = near === undefined ? `use ${names.sort().join(', ')}` : `did you mean ${near}?`;
  throw new ShortyConfigError(unknown, `is not an option: ${hint}`);
}
