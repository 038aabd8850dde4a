import { type Campaign, parseCampaign } from '../analytics/classify/parse-campaign.js';
import { linkNamesOf, parseLinkPath } from '../urls/loop-detector.js';
import { injectUtm } from './inject-utm.js';

/** Where a visit leads. */
export interface Target {
  /** The Location header: one ASCII line. */
  readonly location: string;
  /** The campaign of visits whose own query has none. */
  readonly campaign: Campaign | null;
  /** The host; undefined when the path cannot be that of a short link. */
  readonly targetHostname: string | undefined;
  /** The rule and its variant, which reports name; null for the link's own target. */
  readonly variant: string | null;
}

/** What a link does with each of its targets. */
export interface TargetSettings {
  /** The parameters to set. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Whether visits may add to the path. */
  readonly forwardsPath: boolean;
}

/** Returns the target of a URL. */
export function toTarget(
  targetUrl: string,
  { parameters, forwardsPath }: TargetSettings,
  variant: string | null,
): Target {
  const location = injectUtm(new URL(targetUrl).href, parameters);
  return {
    location,
    campaign: parseCampaign(queryOf(location), location.length),
    targetHostname: (forwardsPath ? parseLinkPath(targetUrl) : linkNamesOf(targetUrl)[0])?.hostname,
    variant,
  };
}

function queryOf(href: string): string {
  const rest = href.split('#', 1)[0] as string;
  const mark = rest.indexOf('?');
  return mark < 0 ? '' : rest.slice(mark);
}
