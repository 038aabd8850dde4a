import type { BundledMeter } from './meters.js';

/** What is used beyond a bundle costs so many US cents for so many uses, in proportion. */
export interface Price {
  readonly cents: number;
  readonly per: number;
}

/** What a plan includes of a meter in each calendar month. */
export interface MonthlyBundle {
  /** Null without a limit. */
  readonly included: number | null;
  /** Null where nothing goes beyond the bundle. */
  readonly overage: Price | null;
}

export interface Plan {
  /** How many links may be active at once; null without a limit. */
  readonly linkBundle: number | null;
  readonly meters: Readonly<Record<BundledMeter, MonthlyBundle>>;
  /** Whether an event can be delivered once more on demand. */
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

/** A plan without a single delivery has no webhooks at all. */
export function hasWebhooks({ meters }: Plan): boolean {
  return meters.webhook_delivery.included !== 0;
}
