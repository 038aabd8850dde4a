// Copied from packages/server/src/contract/nearest-name.ts by `npm run generate`. Do not edit.
/** Returns the known name that a misspelt or shortened one stands for; undefined if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  // A hostile name can be long.
  if (name.length > 50) return undefined;
  const [best] = known
    .map((each) => ({ each, likeness: likenessOf(each, name) }))
    .sort((a, b) => b.likeness - a.likeness);
  return best && best.likeness > 0.55 ? best.each : undefined;
}

/** Returns the share of two names' letters, and pairs of them, that they have in common, from 0 to 1. */
function likenessOf(a: string, b: string): number {
  const rest = partsOf(b);
  const parts = partsOf(a);
  const total = parts.length + rest.length;
  let common = 0;
  for (const part of parts) {
    const at = rest.indexOf(part);
    if (at < 0) continue;
    rest.splice(at, 1);
    common += 1;
  }
  return (2 * common) / total;
}

function partsOf(name: string): string[] {
  const letters = [...name.toLowerCase()];
  return letters.flatMap((letter, at) => [letter, letter + (letters[at + 1] ?? '')]);
}
