/** The actions that are counted for each organization and month. */
export const meters = ['api_call', 'qr_generated', 'webhook_delivery'] as const;
export type Meter = (typeof meters)[number];

export type BundledMeter = Exclude<Meter, 'api_call'>;

/** Returns the calendar month of an instant in UTC, such as `2030-01`. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

export interface MonthlyBundle {
  /** Null without a limit. */
  readonly included: number | null;
  /**
   * The price of uses beyond the bundle: `cents` US cents for `per` uses, in proportion. Null where uses
   * beyond it are refused.
   */
  readonly overage: { readonly cents: number; readonly per: number } | null;
}

export interface Plan {
  /** The number of links that may be active at once; null without a limit. */
  readonly linkBundle: number | null;
  readonly meters: Readonly<Record<BundledMeter, MonthlyBundle>>;
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

/** Returns the cost of a month's use of one meter. The overage is the part beyond `included`. */
export function computeCharge(used: number, { included, overage: price }: MonthlyBundle) {
  const overage = included === null ? 0 : Math.max(0, used - included);
  // One division of whole numbers: the result is the nearest double to the exact amount.
  const overageUsd = price === null ? 0 : (overage * price.cents) / (price.per * 100);
  return { used, included, overage, overageUsd };
}
