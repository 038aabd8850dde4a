import { refuse, ShortyConfigError } from './errors.js';

/** Throws ShortyConfigError for an option that nobody reads, which is usually misspelt. */
export function checkOptionNames(options: object, known: Readonly<Record<string, true>>): void {
  if (Object(options) !== options) refuse('options', 'an object', options);
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const [nearest = ''] = names.sort((a, b) => likeness(b, unknown) - likeness(a, unknown));
  const isMeant = likeness(nearest, unknown) > 0.5;
  const hint = isMeant ? `did you mean ${nearest}?` : `use ${names.sort().join(', ')}`;
  throw new ShortyConfigError(unknown, `is not an option: ${hint}`);
}

/** The share of two names' letters, and pairs of them, that they have in common, from 0 to 1. */
function likeness(a: string, b: string): number {
  const [one, rest] = [partsOf(a), partsOf(b)];
  const total = one.length + rest.length;
  // A part that occurs twice must have two counterparts.
  const common = one.filter((part) => rest.includes(part) && rest.splice(rest.indexOf(part), 1));
  return (2 * common.length) / total;
}

function partsOf(name: string): string[] {
  const letters = name.toLowerCase();
  return Array.from(letters, (letter, at) => [letter, letters.slice(at, at + 2)]).flat();
}
