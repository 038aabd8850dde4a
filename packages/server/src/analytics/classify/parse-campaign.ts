import { type UtmField, utmFields, utmParameters } from '../../contract/utm-parameters.js';
import { plainText } from './plain-text.js';

/** The UTM parameters that are not empty. */
export type Campaign = Readonly<Partial<Record<UtmField, string>>>;

const fieldOf = new Map<string, UtmField>(utmFields.map((field) => [utmParameters[field], field]));
// Names may be percent-encoded: `utm%5Fcampaign`.
const anyUtm = /utm_|%/i;
// A visit stores up to five of them.
const maxUtmLength = 100;
// Longer queries are truncated, so that a visit takes bounded time.
const maxQueryLength = 4_096;
// The escaped character at the end of a truncated query, of which a part may be missing.
const lastEscape = /(?:%[c-f][\da-f](?:%[89ab][\da-f]){0,3})?(?:%[\da-f]?)?$/i;

/**
 * Parses the UTM parameters of a query, whose names may be in any case. Of each, the first that is not
 * empty counts. Returns null when there are none. Never throws.
 */
export function parseCampaign(query: string, maxLength = maxQueryLength): Campaign | null {
  if (!anyUtm.test(query)) return null;
  const campaign: Partial<Record<UtmField, string>> = {};
  const read = query.length > maxLength ? query.slice(0, maxLength).replace(lastEscape, '') : query;
  for (const [name, text] of new URLSearchParams(read)) {
    const field = fieldOf.get(name.toLowerCase());
    if (field === undefined || campaign[field] !== undefined) continue;
    const value = plainText(text, maxUtmLength);
    if (value !== '') campaign[field] = value;
  }
  return Object.keys(campaign).length === 0 ? null : campaign;
}

/** Returns the campaign of a visit to a link. The visit's own parameters replace those of the link. */
export function joinCampaigns(own: Campaign | null, ofLink: Campaign | null): Campaign | null {
  if (own === null || ofLink === null) return own ?? ofLink;
  return { ...ofLink, ...own };
}
