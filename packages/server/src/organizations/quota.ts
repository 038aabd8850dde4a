/** What a plan includes, and how much of it is used. */
export interface Quota {
  readonly plan: string;
  readonly included: number;
  readonly used: number;
}

/** Returns one sentence, such as `The plan free includes 50 active links, and 50 are used`. */
export function describeQuota({ plan, included, used }: Quota, what: string): string {
  return `The plan ${plan} includes ${included} ${what}, and ${used} are used`;
}
