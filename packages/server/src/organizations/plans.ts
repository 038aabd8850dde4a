export interface Plan {
  /** How many links may be active at once; null without a limit. */
  readonly linkBundle: number | null;
}

export const plans = {
  free: { linkBundle: 50 },
  developer: { linkBundle: 10_000 },
  scale: { linkBundle: 250_000 },
  enterprise: { linkBundle: null },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof plans;
export const planNames = Object.keys(plans) as PlanName[];
