export interface Plan {
  /** How many links may be active at once; null without a limit. */
  readonly linkBundle: number | null;
  /** Codes that may be generated in a month; null without a limit. */
  readonly qrBundle: number | null;
  /** What a code beyond the bundle costs, in US dollars; null where there are none. */
  readonly qrOverageUsd: number | null;
  readonly hasWebhooks: boolean;
  /** Whether an event can be delivered once more on demand. */
  readonly hasReplay: boolean;
}

export const plans = {
  free: {
    linkBundle: 50,
    qrBundle: 25,
    qrOverageUsd: null,
    hasWebhooks: false,
    hasReplay: false,
  },
  developer: {
    linkBundle: 10_000,
    qrBundle: 1_000,
    qrOverageUsd: 0.05,
    hasWebhooks: true,
    hasReplay: false,
  },
  scale: {
    linkBundle: 250_000,
    qrBundle: 25_000,
    qrOverageUsd: 0.03,
    hasWebhooks: true,
    hasReplay: true,
  },
  enterprise: {
    linkBundle: null,
    qrBundle: null,
    qrOverageUsd: null,
    hasWebhooks: true,
    hasReplay: true,
  },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof plans;
export const planNames = Object.keys(plans) as PlanName[];
