export const referrerTypes = [
  'direct',
  'search',
  'social',
  'email',
  'paid',
  'ai',
  'internal',
  'other',
] as const;
export type ReferrerType = (typeof referrerTypes)[number];

/** The `referrerDomain` of a visit without a referrer. */
export const directReferrerDomain = '(direct)';
