/** Returns the index of a visitor's variant, by the key of the visitor. */
export type ChooseVariant = (visitorKey: string) => number;

/**
 * Compiles weights to a function that divides visitors by them. A visitor always gets the same variant
 * of a link, and independent ones of different links. When weights change, only the visitors between the
 * old and the new shares get another variant.
 *
 * Keys are keyed hashes: 16 hexadecimal digits, which nobody can choose. So a fast mix suffices here.
 */
export function compileVariants(urlId: number, weights: readonly number[]): ChooseVariant {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0)) throw new RangeError(`the weights ${weights.join(', ')} have no sum above 0`);
  let sum = 0;
  const ends = weights.map((weight) => {
    sum += weight;
    return sum / total;
  });
  const seed = mix(mix(urlId) ^ Math.floor(urlId / 2 ** 32));
  return (visitorKey) => {
    const high = Number.parseInt(visitorKey.slice(0, 8), 16);
    const low = Number.parseInt(visitorKey.slice(8), 16);
    const position = (mix(mix(seed ^ high) ^ low) >>> 0) / 2 ** 32;
    // The last end is 1, also after rounding.
    return ends.findIndex((end) => position < end);
  };
}

/** The finalizer of MurmurHash3: each bit of the input changes each bit of the output. */
function mix(bits: number): number {
  let hash = bits | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
