import { instantPattern } from '../src/contract/parse-instant.js';

// The wire has one meaning for each of these field names, so a description is written once. A schema that
// describes a field itself overrides it. Fields whose name says it all have none.
const descriptions: Readonly<Record<string, string>> = {
  // Tokens and API keys
  client_id: 'The id of the API client. Not needed with HTTP Basic.',
  client_secret: 'The secret of the API client. Not needed with HTTP Basic.',
  scope: 'The scopes of the token, separated by spaces.',
  scopes: 'What the key may do.',
  // Links
  shortCode: 'The random code of the link. Its QR codes contain it.',
  targetUrl: 'Where the link leads, exactly as it was sent.',
  customSlug: 'The chosen path of the link. Null: the short code is its path.',
  shortUrl: 'The public link: the custom slug when there is one, otherwise the short code.',
  externalId: 'The id of the link in another system. Null: none.',
  title: 'A title for people who manage the links. Visitors see it on the info page only.',
  description: 'Notes for people who manage the links. Visitors do not see them.',
  category: 'A category, to filter lists by.',
  tags: 'Up to 20 labels, to filter lists by.',
  domainId: "The custom domain of the link. Null: the platform's domain.",
  activatesAt: 'When the link starts redirecting. Null: it always has.',
  expiresAt: 'When the link stops redirecting. Null: never.',
  expiredUrl:
    'Where visitors are sent when the link has expired or its maxClicks are used up. Null: they are told so.',
  maxClicks: 'How many clicks the link redirects in all. Null: any number.',
  clicksLeft:
    'How many clicks of maxClicks are left: 0 once the link no longer redirects. Null: any number.',
  targetBlockedAt:
    'When the daily check of the server found that its resolver blocks a target of the link as harmful. The link still redirects. Null: no target is blocked, or the server checks none.',
  deletedAt: 'When the link was deleted. Null: it was not, or it was restored.',
  importedClicks:
    'The clicks that another link shortener counted before the link was imported. No other count includes them.',
  forwardQuery:
    'Whether the query of a visit is added to the target. Parameters that the target has, such as UTM values, stay. Null: the setting of the domain.',
  forwardPath:
    'Whether the path after the link, such as /a/b of /sale/a/b, is added to the target. Null: the setting of the domain.',
  infoPage:
    "Whether the address of the link with a plus at its end shows its target, its title and its date to everybody. Null: the server's setting, or yes with publicStats.",
  publicStats: 'Whether that page also shows the clicks of the link. Null: no.',
  isPasswordProtected: 'Whether visitors must enter a password.',
  customUtmParams: 'Further parameters to set on the target, by name.',
  sourceDomain: 'A hint for attribution: the site that the link is published on.',
  isActive: 'Whether the link redirects. An inactive link answers 410.',
  // Bulk requests
  deletedCount: 'The number of deactivated links.',
  deletedIds: 'The ids of the deactivated links.',
  errors: 'The items that failed, in the order of the request.',
  // QR codes
  size: 'Width and height of the image in pixels, including the quiet zone.',
  foregroundColor: 'The colour of the modules, as #RRGGBB.',
  backgroundColor: 'The colour behind the modules, as #RRGGBB.',
  errorCorrection: 'How much of the code may be damaged: L 7 %, M 15 %, Q 25 %, H 30 %.',
  logoUrl: 'The URL of the image in the centre of the code. Null: no image.',
  stylePreset: 'The shape of the modules.',
  // Webhooks and events
  events: 'The event types that are delivered, or `*` for all.',
  filters: 'Only events about some links are delivered. Null: about all links.',
  eventId: 'The id of the event, the same in all its deliveries.',
  nextAttemptAt: 'When the next attempt is due. Null: no attempt is left.',
  deliveredAt: 'When the receiver accepted it. Null: not yet.',
  number: 'The number of the attempt, from 1.',
  // Domains
  hostname: 'The host name, in lower case and ASCII (punycode).',
  txtRecord: 'The TXT record to set in DNS, which proves that the hostname is yours.',
  // Reports
  since: 'The start of the window.',
  until: 'The end of the window (exclusive).',
  totalClicks: 'Clicks in the window. Bots, previews and prefetches do not count.',
  totalScans: 'Scans in the window. Bots do not count.',
  totalUrls: 'Links of the organization, inactive ones included.',
  activeUrls: 'Links that redirect.',
  topUrls: 'The links with the most clicks, the largest first.',
  label: 'The name of the entry, in every breakdown.',
  count: 'The clicks or scans of the entry, in every breakdown.',
  breakdowns: 'The counts by visitor and source, the largest first.',
  timeseries: 'The counts by hour or day, in UTC, without gaps.',
};

/** The schema of instants in requests, to which others refer. */
export const instant = { type: 'string', pattern: instantPattern.source } as const;

/** A part of an OpenAPI document. */
interface Part {
  description?: unknown;
  schema?: Part;
  anyOf?: readonly Part[];
  propertyNames?: object;
  additionalProperties?: unknown;
  readonly oneOf?: readonly Part[];
  readonly properties?: Readonly<Record<string, Part>>;
  [key: string]: unknown;
}

/** Adds descriptions to fields without one, and shortens what the library writes at length. */
export function tidy(whole: object): void {
  const part = whole as Part;
  const { properties = {}, schema, description, propertyNames } = part;
  for (const [name, field] of Object.entries(properties)) {
    const text = descriptions[name];
    if (text !== undefined && !isDescribed(field)) field.description = text;
  }
  if ('in' in part && schema?.description === description) delete schema?.description;
  // Every name of a JSON object is a text.
  if (propertyNames && Object.keys(propertyNames).join() === 'type') delete part.propertyNames;
  // Of a reference with a description.
  if ('$ref' in part) delete part.additionalProperties;
  mergeNull(part);
  hoistDescription(part);
  if (part.type === 'string' && part.pattern === instant.pattern) {
    delete part.type;
    delete part.pattern;
    part.$ref = '#/components/schemas/Instant';
  }
  for (const [key, child] of Object.entries(part)) {
    if (key !== 'example' && typeof child === 'object' && child !== null) tidy(child);
  }
}

function isDescribed({ description, anyOf = [], oneOf = [] }: Part): boolean {
  return description !== undefined || [...anyOf, ...oneOf].some(isDescribed);
}

/** Moves the only description of several variants to the field, where editors show it. */
function hoistDescription(part: Part): void {
  if (part.description !== undefined || '$ref' in part) return;
  const described = part.anyOf?.filter(({ description }) => description !== undefined) ?? [];
  const [variant] = described;
  if (!variant || described.length > 1) return;
  part.description = variant.description;
  delete variant.description;
}

/** `anyOf` a type or null becomes a list of types, which code generators read as a nullable field. */
function mergeNull(part: Part): void {
  const [variant, none, ...others] = part.anyOf ?? [];
  if (!variant || none?.type !== 'null' || others.length > 0) return;
  const { type, ...rest } = variant;
  if (typeof type !== 'string' || type === 'object' || 'enum' in rest || 'const' in rest) return;
  delete part.anyOf;
  Object.assign(part, { type: [type, 'null'], ...rest, ...part });
}
