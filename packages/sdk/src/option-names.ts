import { ShortyConfigError } from './errors.js';

/** Throws ShortyConfigError for an option that nobody reads, which is usually misspelt. */
export function checkOptionNames(options: object, known: Readonly<Record<string, true>>): void {
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const [nearest = ''] = names.sort((a, b) => likeness(b, unknown) - likeness(a, unknown));
  const isMeant = likeness(nearest, unknown) > 0.4;
  const hint = isMeant ? `did you mean ${nearest}?` : `use ${names.sort().join(', ')}`;
  throw new ShortyConfigError(unknown, `is not an option: ${hint}`);
}

/** The share of two names' pairs of letters that they have in common, from 0 to 1. */
function likeness(a: string, b: string): number {
  const [one, other] = [pairsOf(a), pairsOf(b)];
  const common = one.filter((pair) => other.includes(pair)).length;
  return (2 * common) / (one.length + other.length || 1);
}

function pairsOf(name: string): string[] {
  const letters = name.toLowerCase();
  return Array.from(letters.slice(1), (letter, at) => letters.charAt(at) + letter);
}
