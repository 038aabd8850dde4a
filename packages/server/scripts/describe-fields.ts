// The wire has one meaning for each field name, so a description is written once. A schema that
// describes a field itself overrides it, and so does an entry with the name of the schema.

/** Descriptions by the name of the field, or by schema and field. */
const descriptions: Readonly<Record<string, string>> = {
  // Every response
  success: 'True for a result, false for an error.',
  data: 'The result of the request, or what the event is about.',
  error: 'Why it failed, in one sentence.',
  'ErrorResponse.error': 'What failed, and why.',
  code: 'The reason, for programs.',
  message: 'The reason, for people.',
  details: 'The invalid fields, if there are any.',
  limit: 'The most items on a page.',
  items: 'The items of this page.',
  id: 'The id of the record.',
  organizationId: 'The id of the organization that owns the record.',
  createdAt: 'When the record was created, in UTC.',
  updatedAt: 'When the record was last changed, in UTC.',
  // Tokens and API keys
  clientId: 'The id of the API client.',
  clientSecret: 'The secret of the API client.',
  grant_type: 'client_credentials: the only supported grant.',
  client_id: 'The id of the API client. Not needed with HTTP Basic.',
  client_secret: 'The secret of the API client. Not needed with HTTP Basic.',
  accessToken: 'The token, to send as `Authorization: Bearer …`.',
  access_token: 'The token, to send as `Authorization: Bearer …`.',
  tokenType: 'How to send the token.',
  token_type: 'How to send the token.',
  scope: 'The scopes of the token, separated by spaces.',
  scopes: 'What the key may do.',
  'OAuthError.error': 'The error code of RFC 6749 §5.2.',
  error_description: 'The reason, for people.',
  'ApiKey.name': 'What the key is for.',
  'ApiKeyCreated.name': 'What the key is for.',
  'Me.organization': 'The organization of the caller.',
  'Me.organization.name': 'The name of the organization.',
  'Me.apiKey.name': 'What the key is for.',
  'Me.client.id': 'The id of the API client.',
  'Me.apiKey.expiresAt': 'When the key stops working. Null: never.',
  'Takedown.organizationId': 'The id of the organization that owns the link.',
  plan: 'The plan of the organization, which sets its limits.',
  // Links
  shortCode: 'The random code of the link. Its QR codes contain it.',
  targetUrl: 'Where the link leads, exactly as it was sent.',
  customSlug: 'The chosen path of the link. Null: the short code is its path.',
  shortUrl: 'The public link: the custom slug when there is one, otherwise the short code.',
  externalId: 'The id of the link in another system. Null: none.',
  title: 'A title for people who manage the links. Visitors do not see it.',
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
  deletedAt: 'When the link was deleted. Null: it was not, or it was restored.',
  importedClicks:
    'The clicks that another link shortener counted before the link was imported. No other count includes them.',
  clickThresholds: "The click counts at which url.click_threshold is sent. Null: the server's.",
  forwardQuery:
    'Whether the query of a visit is added to the target. Parameters that the target has, such as UTM values, stay. Null: the setting of the domain.',
  forwardPath:
    'Whether the path after the link, such as /a/b of /sale/a/b, is added to the target. Null: the setting of the domain.',
  isPasswordProtected: 'Whether visitors must enter a password.',
  'UnlockRequest.password': 'The password of the link.',
  'UnlockForm.password': 'The password of the link.',
  utmSource: 'Set as utm_source on the target: where the visitor comes from.',
  utmMedium: 'Set as utm_medium on the target: the kind of channel.',
  utmCampaign: 'Set as utm_campaign on the target: the name of the campaign.',
  utmTerm: 'Set as utm_term on the target: the paid search term.',
  utmContent: 'Set as utm_content on the target: which of several links it is.',
  customUtmParams: 'Further parameters to set on the target, by name.',
  sourceDomain: 'A hint for attribution: the site that the link is published on.',
  isActive: 'Whether the link redirects. An inactive link answers 410.',
  'WebhookUpdateRequest.isActive':
    'Whether events are delivered. Pending deliveries of a paused webhook wait.',
  // Bulk requests
  requested: 'The number of items in the request.',
  createdCount: 'The number of created links.',
  updatedCount: 'The number of changed links.',
  deletedCount: 'The number of deactivated links.',
  failedCount: 'The number of items that failed.',
  skippedCount: 'The number of ids that were skipped.',
  created: 'The created links, in the order of the request.',
  updated: 'The changed links, in the order of the request.',
  deletedIds: 'The ids of the deactivated links.',
  errors: 'The items that failed, in the order of the request.',
  // QR codes
  qrCodeId: 'The id of the QR code.',
  format: 'The format of the image.',
  size: 'Width and height of the image in pixels, including the quiet zone.',
  foregroundColor: 'The colour of the modules, as #RRGGBB.',
  backgroundColor: 'The colour behind the modules, as #RRGGBB.',
  errorCorrection: 'How much of the code may be damaged: L 7 %, M 15 %, Q 25 %, H 30 %.',
  logoUrl: 'The URL of the image in the centre of the code. Null: no image.',
  stylePreset: 'The shape of the modules.',
  // Webhooks and events
  type: 'The type of the event.',
  'DomainTxtRecord.type': 'The type of the DNS record.',
  'DomainTxtRecordOutput.type': 'The type of the DNS record.',
  events: 'The event types that are delivered, or `*` for all.',
  filters: 'Only events about some links are delivered. Null: about all links.',
  'WebhookFilters.tags': 'Only links with one of these tags.',
  domainIds: 'Only links on one of these custom domains.',
  urlIds: 'Only these links.',
  webhookId: 'The id of the webhook.',
  eventId: 'The id of the event, the same in all its deliveries.',
  eventType: 'The type of the event.',
  'Delivery.status': 'Whether the event was delivered.',
  'DeliveryDetail.status': 'Whether the event was delivered.',
  nextAttemptAt: 'When the next attempt is due. Null: no attempt is left.',
  deliveredAt: 'When the receiver accepted it. Null: not yet.',
  number: 'The number of the attempt, from 1.',
  attemptedAt: 'When the attempt began.',
  durationMs: 'How long the attempt took, in milliseconds.',
  // Domains
  hostname: 'The host name, in lower case and ASCII (punycode).',
  domain: 'The host name that was asked for.',
  'DomainTxtRecord.name': 'The name of the DNS record.',
  'DomainTxtRecordOutput.name': 'The name of the DNS record.',
  value: 'The content of the DNS record.',
  txtRecord: 'The TXT record to set in DNS, which proves that the hostname is yours.',
  // Reports
  urlId: 'The id of the link.',
  since: 'The start of the window.',
  until: 'The end of the window (exclusive).',
  totals: 'The counts of the whole window.',
  totalClicks: 'Clicks in the window. Bots, previews and prefetches do not count.',
  totalScans: 'Scans in the window. Bots do not count.',
  totalUrls: 'Links of the organization, inactive ones included.',
  activeUrls: 'Links that redirect.',
  topUrls: 'The links with the most clicks, the largest first.',
  breakdowns: 'The counts by visitor and source, the largest first.',
  timeseries: 'The counts by hour or day, in UTC, without gaps.',
  clicks: 'The number of clicks.',
  scans: 'The number of scans.',
  country: 'By country.',
  'ClickBreakdowns.region': 'By region.',
  'ClickBreakdowns.city': 'By city.',
  'ClickBreakdowns.language': 'By language.',
  'ClickBreakdowns.utmSource': 'By `utm_source`.',
  'ClickBreakdowns.utmMedium': 'By `utm_medium`.',
  'ClickBreakdowns.utmCampaign': 'By `utm_campaign`.',
  'ClickBreakdowns.utmTerm': 'By `utm_term`.',
  'ClickBreakdowns.utmContent': 'By `utm_content`.',
  'ClickBreakdowns.variant': 'By rule of the link, and variant.',
  device: 'By kind of device.',
  deviceType: 'The kind of device.',
  browser: 'By browser.',
  'ClickBreakdowns.browser[].browser': 'The name of the browser.',
  'ScanBreakdowns.browser[].browser': 'The name of the browser.',
  os: 'By operating system.',
  'ClickBreakdowns.os[].os': 'The name of the operating system.',
  referrer: 'By source.',
  referrerType: 'The kind of source.',
  scanMethod: 'By the way of scanning.',
  'ScanBreakdowns.scanMethod[].scanMethod': 'The way of scanning.',
  scannerApp: 'By scanner app.',
  // Usage and health
  meters: 'What was used, by meter.',
  used: 'How much was used.',
  status: 'The state of the server.',
  file: 'The name of the file.',
};

/** A part of an OpenAPI document: a schema has properties, an operation has parameters. */
interface Part {
  description?: string;
  readonly $ref?: string;
  readonly name?: string;
  readonly anyOf?: readonly Part[];
  readonly oneOf?: readonly Part[];
  readonly properties?: Readonly<Record<string, Part>>;
  readonly parameters?: readonly Part[];
}

/**
 * Adds a description to each field and parameter without one. Throws if it has none for a field, or one that
 * no field needs.
 */
export function describeFields(document: object): void {
  const unused = new Set(Object.keys(descriptions));
  const isDescribed = ({ description, anyOf = [], oneOf = [] }: Part): boolean =>
    description !== undefined || [...anyOf, ...oneOf].some(isDescribed);
  const describe = (path: string, name: string, part: Part) => {
    if (isDescribed(part)) return;
    const key = `${path}.${name}` in descriptions ? `${path}.${name}` : name;
    const found = descriptions[key];
    if (found === undefined) throw new Error(`${path}.${name} has no description`);
    part.description = found;
    unused.delete(key);
  };
  const visit = (path: string, part: Part): void => {
    const { properties = {}, parameters = [], ...others } = part;
    for (const [name, field] of Object.entries(properties)) {
      describe(path, name, field);
      visit(`${path}.${name}`, field);
    }
    for (const parameter of parameters) {
      if (parameter.$ref === undefined) describe(path, parameter.name ?? '', parameter);
    }
    for (const [key, child] of Object.entries<unknown>(others)) {
      if (key === 'example' || typeof child !== 'object' || child === null) continue;
      visit(key === 'items' ? `${path}[]` : path, child);
    }
  };
  const { paths, components } = document as {
    readonly paths: Part;
    readonly components: { readonly schemas: Readonly<Record<string, Part>> };
  };
  for (const [name, schema] of Object.entries(components.schemas)) visit(name, schema);
  visit('paths', paths);
  if (unused.size > 0) throw new Error(`no field has the description ${[...unused].join(', ')}`);
}
