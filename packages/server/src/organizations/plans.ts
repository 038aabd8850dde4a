export interface Plan {
  /** How many links may be active at once; null without a limit. */
  readonly linkBundle: number | null;
  readonly hasWebhooks: boolean;
  /** Whether an event can be delivered once more on demand. */
  readonly hasReplay: boolean;
}

export const plans = {
  free: { linkBundle: 50, hasWebhooks: false, hasReplay: false },
  developer: { linkBundle: 10_000, hasWebhooks: true, hasReplay: false },
  scale: { linkBundle: 250_000, hasWebhooks: true, hasReplay: true },
  enterprise: { linkBundle: null, hasWebhooks: true, hasReplay: true },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof plans;
export const planNames = Object.keys(plans) as PlanName[];
