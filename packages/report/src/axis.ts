/** Returns the ticks of an axis of counts: round numbers from 0 to at least `max`. */
export function countTicks(max: number): number[] {
  const step = roundStep(max / 4);
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < max) ticks.push(ticks.length * step);
  // A chart without counts also needs a scale.
  return ticks.length > 1 ? ticks : [0, 1];
}

/** The smallest of 1, 2, 5, 10, 20, 50, … that is not below `least`. */
function roundStep(least: number): number {
  if (least <= 1) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(least));
  return magnitude * ([1, 2, 5].find((factor) => factor * magnitude >= least) ?? 10);
}

/** Returns at most `count` evenly spaced positions among `length` bars, for labels. */
export function labelPositions(length: number, count: number): number[] {
  const step = Math.max(1, Math.ceil(length / count));
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
}
