export const utmParameters = {
  utmSource: 'utm_source',
  utmMedium: 'utm_medium',
  utmCampaign: 'utm_campaign',
  utmTerm: 'utm_term',
  utmContent: 'utm_content',
} as const;

export type UtmField = keyof typeof utmParameters;

export const utmFields = Object.keys(utmParameters) as readonly UtmField[];
