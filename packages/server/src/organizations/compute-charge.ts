import type { MonthlyBundle } from './plans.js';

/** Returns the cost of a month's use of one meter. The overage is the part beyond `included`. */
export function computeCharge(used: number, { included, overage: price }: MonthlyBundle) {
  const overage = included === null ? 0 : Math.max(0, used - included);
  // One division of whole numbers: the result is the nearest double to the exact amount.
  const overageUsd = price === null ? 0 : (overage * price.cents) / (price.per * 100);
  return { used, included, overage, overageUsd };
}
