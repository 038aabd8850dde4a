/** Where an axis of counts ends and the lines across a chart: round numbers from 0 up. */
export function countTicks(max: number): number[] {
  const step = roundStep(max / 4);
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < max) ticks.push(ticks.length * step);
  // A chart of nothing has a scale all the same.
  return ticks.length > 1 ? ticks : [0, 1];
}

/** The smallest of 1, 2, 5, 10, 20, 50, … that is not below `least`. */
function roundStep(least: number): number {
  if (least <= 1) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(least));
  return magnitude * ([1, 2, 5].find((factor) => factor * magnitude >= least) ?? 10);
}

/** Up to `count` positions of `length` bars, evenly apart, for labels under them. */
export function labelPositions(length: number, count: number): number[] {
  const step = Math.max(1, Math.ceil(length / count));
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
}
