import type { MonthlyBundle } from './plans.js';

export interface Charge {
  readonly used: number;
  /** Null without a limit. */
  readonly included: number | null;
  /** How many of those used are beyond what is included. */
  readonly overage: number;
  readonly overageUsd: number;
}

/** What a month's uses come to. */
export function chargeOf(used: number, { included, overage: price }: MonthlyBundle): Charge {
  const overage = included === null ? 0 : Math.max(0, used - included);
  // Whole numbers up to one division, so that what is written is the exact amount, never a sum that
  // has drifted.
  const overageUsd = price === null ? 0 : (overage * price.cents) / (price.per * 100);
  return { used, included, overage, overageUsd };
}
