import { type OptionRows, repeatable } from '../command.js';
import { namingSeveral } from '../records.js';

const withUtm = (parameter: string) => repeatable(`only visits with this ${parameter}, or (none)`);

// The names are those of the query parameters.

/** The filters that select visits. */
export const visitFilters: OptionRows = {
  '--country <code>': repeatable('only visits from this country (DE)'),
  '--region <code>': repeatable('only visits from this region (DE-BE)'),
  '--city <name>': repeatable('only visits from this city'),
  '--device <type>': repeatable('only visits with this device: desktop, mobile, …'),
  '--browser <name>': repeatable('only visits with this browser'),
  '--os <name>': repeatable('only visits with this operating system'),
  '--referrer <host>': repeatable('only visits from this host, or (direct)'),
  '--referrer-type <type>': repeatable('only visits with this type of referrer: search, …'),
  '--language <code>': repeatable('only visits with this language (de)'),
  '--utm-source <value>': withUtm('utm_source'),
  '--utm-medium <value>': withUtm('utm_medium'),
  '--utm-campaign <value>': withUtm('utm_campaign'),
  '--utm-term <value>': withUtm('utm_term'),
  '--utm-content <value>': withUtm('utm_content'),
  '--variant <name>': repeatable('only visits with this rule or variant, or (default)'),
};

/** The filters that select visits in a report of scans only. */
export const scanFilters: OptionRows = {
  '--scan-method <method>': repeatable('only scans with this method: camera, …'),
  '--scanner-app <name>': repeatable('only scans with this app'),
};

export const linkFilter: OptionRows = { '--link <link>': namingSeveral('link', 'only this link') };

/** The filters that select links in a report of all links. */
export const linkFilters: OptionRows = {
  '--tag <tag>': repeatable('only links with this tag'),
  '--domain-id <domain>': namingSeveral('domain', 'only links on this custom domain'),
  ...linkFilter,
};
