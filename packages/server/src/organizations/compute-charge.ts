import type { MonthlyBundle } from './plans.js';

export interface Charge {
  readonly used: number;
  /** The uses that the plan includes; null without a limit. */
  readonly included: number | null;
  /** The part of `used` that is beyond `included`. */
  readonly overage: number;
  readonly overageUsd: number;
}

/** Returns the cost of a month's use of one meter. */
export function computeCharge(used: number, { included, overage: price }: MonthlyBundle): Charge {
  const overage = included === null ? 0 : Math.max(0, used - included);
  // One division of whole numbers: the result is the nearest double to the exact amount.
  const overageUsd = price === null ? 0 : (overage * price.cents) / (price.per * 100);
  return { used, included, overage, overageUsd };
}
