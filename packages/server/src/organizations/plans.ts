import type { BundledMeter } from './meters.js';

/** The price of uses beyond a bundle: `cents` US cents for `per` uses, in proportion. */
export interface Price {
  readonly cents: number;
  readonly per: number;
}

/** The uses of a meter that a plan includes in each calendar month. */
export interface MonthlyBundle {
  /** Null without a limit. */
  readonly included: number | null;
  /** The price beyond the bundle; null where uses beyond it are refused. */
  readonly overage: Price | null;
}

export interface Plan {
  /** The number of links that may be active at once; null without a limit. */
  readonly linkBundle: number | null;
  readonly meters: Readonly<Record<BundledMeter, MonthlyBundle>>;
  /** Whether deliveries can be replayed. */
  readonly hasReplay: boolean;
}

export const planNames = ['free', 'developer', 'scale', 'enterprise'] as const;
export type PlanName = (typeof planNames)[number];
export type PlanTable = Readonly<Record<PlanName, Plan>>;

const unlimited: MonthlyBundle = { included: null, overage: null };

/** Specification, "Limits". */
export const standardPlans: PlanTable = {
  free: {
    linkBundle: 50,
    meters: {
      qr_generated: { included: 25, overage: null },
      webhook_delivery: { included: 0, overage: null },
    },
    hasReplay: false,
  },
  developer: {
    linkBundle: 10_000,
    meters: {
      qr_generated: { included: 1_000, overage: { cents: 5, per: 1 } },
      webhook_delivery: { included: 100_000, overage: { cents: 100, per: 100_000 } },
    },
    hasReplay: false,
  },
  scale: {
    linkBundle: 250_000,
    meters: {
      qr_generated: { included: 25_000, overage: { cents: 3, per: 1 } },
      webhook_delivery: { included: 1_000_000, overage: { cents: 75, per: 100_000 } },
    },
    hasReplay: true,
  },
  enterprise: {
    linkBundle: null,
    meters: { qr_generated: unlimited, webhook_delivery: unlimited },
    hasReplay: true,
  },
};

/** Returns whether a plan has webhooks: it includes at least one delivery. */
export function hasWebhooks({ meters }: Plan): boolean {
  return meters.webhook_delivery.included !== 0;
}
