import { plainText } from './plain-text.js';

/** The UTM parameters of a query, by the names of their fields. */
const utmParameters = {
  utmSource: 'utm_source',
  utmMedium: 'utm_medium',
  utmCampaign: 'utm_campaign',
  utmTerm: 'utm_term',
  utmContent: 'utm_content',
} as const;

export type UtmField = keyof typeof utmParameters;

/** The UTM parameters that are not empty. */
export type Campaign = Readonly<Partial<Record<UtmField, string>>>;

export const utmFields = Object.keys(utmParameters) as readonly UtmField[];

// A visit stores up to five of them, and a chunk 2,048 visits.
const maxUtmLength = 100;
// Longer queries are truncated, so that a visit takes bounded time.
const maxQueryLength = 4_096;

/**
 * Parses the UTM parameters of a visit's own query, the first of each name. Returns null when there
 * are none. Never throws.
 */
export function parseCampaign(query: string): Campaign | null {
  if (!query.includes('utm_')) return null;
  const parameters = new URLSearchParams(query.slice(0, maxQueryLength));
  const campaign: Partial<Record<UtmField, string>> = {};
  let isEmpty = true;
  for (const field of utmFields) {
    const value = plainText(parameters.get(utmParameters[field]) ?? '', maxUtmLength);
    if (value === '') continue;
    campaign[field] = value;
    isEmpty = false;
  }
  return isEmpty ? null : campaign;
}
