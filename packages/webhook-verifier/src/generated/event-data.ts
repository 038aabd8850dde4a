// Generated from openapi.yaml by `npm run generate`. Do not edit.

export interface UrlEventData {
  /** A decimal integer as a string. */
  readonly id: string;
  /** The random code of the link. Its QR codes contain it. */
  readonly shortCode: string;
  /** Where the link leads, exactly as it was sent. */
  readonly targetUrl: string;
  /** The chosen path of the link. Null: the short code is its path. */
  readonly customSlug: string | null;
  /** The public link: the custom slug when there is one, otherwise the short code. */
  readonly shortUrl: string;
  readonly organizationId: string;
  /** The id of the link in another system. Null: none. */
  readonly externalId: string | null;
  /** A title for people who manage the links. Visitors see it on the info page only. */
  readonly title: string | null;
  /** Notes for people who manage the links. Visitors do not see them. */
  readonly description: string | null;
  /** A category, to filter lists by. */
  readonly category: string | null;
  /** Up to 20 labels, to filter lists by. */
  readonly tags: ReadonlyArray<string>;
  /** The custom domain of the link. Null: the platform's domain. */
  readonly domainId: string | null;
  /** The HTTP status of the redirect. */
  readonly redirectType: 301 | 302 | 307 | 308;
  /** When the link starts redirecting. Null: it always has. */
  readonly activatesAt: string | null;
  /** When the link stops redirecting. Null: never. */
  readonly expiresAt: string | null;
  /** Where visitors are sent when the link has expired or its maxClicks are used up. Null: they are told so. */
  readonly expiredUrl: string | null;
  /** How many clicks the link redirects in all. Null: any number. */
  readonly maxClicks: number | null;
  /** Set as utm_source on the target: where the visitor comes from. */
  readonly utmSource: string | null;
  /** Set as utm_medium on the target: the kind of channel. */
  readonly utmMedium: string | null;
  /** Set as utm_campaign on the target: the name of the campaign. */
  readonly utmCampaign: string | null;
  /** Set as utm_term on the target: the paid search term. */
  readonly utmTerm: string | null;
  /** Set as utm_content on the target: which of several links it is. */
  readonly utmContent: string | null;
  /** Further parameters to set on the target, by name. */
  readonly customUtmParams: { readonly [name: string]: string };
  /** A hint for attribution: the site that the link is published on. */
  readonly sourceDomain: string | null;
  /** Whether the query of a visit is added to the target. Parameters that the target has, such as UTM values, stay. Null: the setting of the domain. */
  readonly forwardQuery: boolean | null;
  /** Whether the path after the link, such as /a/b of /sale/a/b, is added to the target. Null: the setting of the domain. */
  readonly forwardPath: boolean | null;
  /** Other targets for some visits. Empty: all visits lead to the link's own target. */
  readonly rules: ReadonlyArray<LinkRule>;
  /** What link previews show of the link. Null: they follow the redirect. */
  readonly preview: LinkPreview | null;
  /** Whether the address of the link with a plus at its end shows its target, its title and its date to everybody. Null: the server's setting, or yes with publicStats. */
  readonly infoPage: boolean | null;
  /** Whether that page also shows the clicks of the link. Null: no. */
  readonly publicStats: boolean | null;
  /** When the daily check of the server found that its resolver blocks a target of the link as harmful. The link still redirects. Null: no target is blocked, or the server checks none. */
  readonly targetBlockedAt: string | null;
  /** When the link was deleted. Null: it was not, or it was restored. */
  readonly deletedAt: string | null;
  /** The clicks that another link shortener counted before the link was imported. No other count includes them. */
  readonly importedClicks: number;
  /** The id of the person, client or API key that created the link. */
  readonly createdBy: string | null;
  /** Whether visitors must enter a password. */
  readonly isPasswordProtected: boolean;
  /** Whether the link redirects. An inactive link answers 410. */
  readonly isActive: boolean;
  /** Clicks counted so far. */
  readonly clickCount: number;
  /** Visits since the creation that are no clicks: of bots, link previews, prefetches, HEAD requests and excluded addresses. */
  readonly excludedClicks: number;
  /** How many clicks of maxClicks are left: 0 once the link no longer redirects. Null: any number. */
  readonly clicksLeft: number | null;
  /** The time of the last counted click. Null before the first click. */
  readonly lastClickAt: string | null;
  /** Set while the operator of the server has taken the link down: visitors get 451. The owner cannot undo it. */
  readonly takenDown: {
    /** When the operator took the link down, in UTC. */
    readonly at: string;
    /** Why. */
    readonly reason: string;
  } | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface UrlDeletedEventData {
  /** A decimal integer as a string. */
  readonly id: string;
  /** The random code of the link. Its QR codes contain it. */
  readonly shortCode: string;
  /** Where the link leads, exactly as it was sent. */
  readonly targetUrl: string;
  /** The chosen path of the link. Null: the short code is its path. */
  readonly customSlug: string | null;
  /** The public link: the custom slug when there is one, otherwise the short code. */
  readonly shortUrl: string;
  readonly organizationId: string;
  /** The id of the link in another system. Null: none. */
  readonly externalId: string | null;
  /** A title for people who manage the links. Visitors see it on the info page only. */
  readonly title: string | null;
  /** Notes for people who manage the links. Visitors do not see them. */
  readonly description: string | null;
  /** A category, to filter lists by. */
  readonly category: string | null;
  /** Up to 20 labels, to filter lists by. */
  readonly tags: ReadonlyArray<string>;
  /** The custom domain of the link. Null: the platform's domain. */
  readonly domainId: string | null;
  /** The HTTP status of the redirect. */
  readonly redirectType: 301 | 302 | 307 | 308;
  /** When the link starts redirecting. Null: it always has. */
  readonly activatesAt: string | null;
  /** When the link stops redirecting. Null: never. */
  readonly expiresAt: string | null;
  /** Where visitors are sent when the link has expired or its maxClicks are used up. Null: they are told so. */
  readonly expiredUrl: string | null;
  /** How many clicks the link redirects in all. Null: any number. */
  readonly maxClicks: number | null;
  /** Set as utm_source on the target: where the visitor comes from. */
  readonly utmSource: string | null;
  /** Set as utm_medium on the target: the kind of channel. */
  readonly utmMedium: string | null;
  /** Set as utm_campaign on the target: the name of the campaign. */
  readonly utmCampaign: string | null;
  /** Set as utm_term on the target: the paid search term. */
  readonly utmTerm: string | null;
  /** Set as utm_content on the target: which of several links it is. */
  readonly utmContent: string | null;
  /** Further parameters to set on the target, by name. */
  readonly customUtmParams: { readonly [name: string]: string };
  /** A hint for attribution: the site that the link is published on. */
  readonly sourceDomain: string | null;
  /** Whether the query of a visit is added to the target. Parameters that the target has, such as UTM values, stay. Null: the setting of the domain. */
  readonly forwardQuery: boolean | null;
  /** Whether the path after the link, such as /a/b of /sale/a/b, is added to the target. Null: the setting of the domain. */
  readonly forwardPath: boolean | null;
  /** Other targets for some visits. Empty: all visits lead to the link's own target. */
  readonly rules: ReadonlyArray<LinkRule>;
  /** What link previews show of the link. Null: they follow the redirect. */
  readonly preview: LinkPreview | null;
  /** Whether the address of the link with a plus at its end shows its target, its title and its date to everybody. Null: the server's setting, or yes with publicStats. */
  readonly infoPage: boolean | null;
  /** Whether that page also shows the clicks of the link. Null: no. */
  readonly publicStats: boolean | null;
  /** When the daily check of the server found that its resolver blocks a target of the link as harmful. The link still redirects. Null: no target is blocked, or the server checks none. */
  readonly targetBlockedAt: string | null;
  /** When the link was deleted. Null: it was not, or it was restored. */
  readonly deletedAt: string | null;
  /** The clicks that another link shortener counted before the link was imported. No other count includes them. */
  readonly importedClicks: number;
  /** The id of the person, client or API key that created the link. */
  readonly createdBy: string | null;
  /** Whether visitors must enter a password. */
  readonly isPasswordProtected: boolean;
  /** Whether the link redirects. An inactive link answers 410. */
  readonly isActive: boolean;
  /** Clicks counted so far. */
  readonly clickCount: number;
  /** Visits since the creation that are no clicks: of bots, link previews, prefetches, HEAD requests and excluded addresses. */
  readonly excludedClicks: number;
  /** How many clicks of maxClicks are left: 0 once the link no longer redirects. Null: any number. */
  readonly clicksLeft: number | null;
  /** The time of the last counted click. Null before the first click. */
  readonly lastClickAt: string | null;
  /** Set while the operator of the server has taken the link down: visitors get 451. The owner cannot undo it. */
  readonly takenDown: {
    /** When the operator took the link down, in UTC. */
    readonly at: string;
    /** Why. */
    readonly reason: string;
  } | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** True if nothing of the link is stored any more, so that it cannot be restored. The event then has no content of the link: targetUrl is empty. */
  readonly isErased: boolean;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface UrlClickedEventData {
  /** 1 to 500 visits of people, oldest first. */
  readonly visits: ReadonlyArray<ClickedVisit>;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface ThresholdEventData {
  /** The id of the URL or the QR code. */
  readonly id: string;
  /** The random code of the link. Its QR codes contain it. */
  readonly shortCode: string;
  /** The threshold that was reached. */
  readonly threshold: number;
  /** The count when it was reached. */
  readonly count: number;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface QrEventData {
  readonly id: string;
  /** Null for a standalone code. */
  readonly urlId: string | null;
  readonly organizationId: string;
  /** The payload of the code. It never changes. */
  readonly qrData: string;
  readonly format: QrFormat;
  /** Width and height of the image in pixels, including the quiet zone. */
  readonly size: number;
  /** How much of the code may be damaged: L 7 %, M 15 %, Q 25 %, H 30 %. */
  readonly errorCorrection: 'L' | 'M' | 'Q' | 'H';
  /** The colour of the modules, as #RRGGBB. */
  readonly foregroundColor: string;
  /** The colour behind the modules, as #RRGGBB. */
  readonly backgroundColor: string;
  /** transparent: the image has no background. It is checked on backgroundColor: put it on this color. */
  readonly background: 'solid' | 'transparent';
  /** The least width of the quiet zone, in modules. Scanners need 4: with fewer, leave the rest of it free around the image. */
  readonly margin: number;
  /** The URL of the image in the centre of the code. Null: no image. */
  readonly logoUrl: string | null;
  /** The shape of the modules. */
  readonly stylePreset: 'default' | 'rounded' | 'dots' | 'classy';
  /** Downloads of the image so far. */
  readonly downloadCount: number;
  /** Scans so far. */
  readonly scanCount: number;
  /** A path on this server. */
  readonly downloadUrl: string;
  /** A path on this server. */
  readonly previewUrl: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface DomainEventData {
  readonly id: string;
  /** The host name, in lower case and ASCII (punycode). */
  readonly hostname: string;
  readonly organizationId: string;
  /** Whether links are served on it. */
  readonly isActive: boolean;
  /** The TXT record to set in DNS, which proves that the hostname is yours. */
  readonly txtRecord: DomainTxtRecord;
  /** Where / leads. Null: to a page. */
  readonly rootUrl: string | null;
  /** Where addresses without a link lead. Null: to a page. */
  readonly notFoundUrl: string | null;
  /** Where links lead that are expired, paused or deleted. Null: to a page. */
  readonly expiredUrl: string | null;
  /** Whether links are found in any case. Refused while links differ only in the case of their keys. */
  readonly ignoreCase: boolean;
  /** Whether links add the query of a visit to their target, unless they say otherwise. */
  readonly forwardQuery: boolean;
  /** Whether links add the path after them to their target, unless they say otherwise. */
  readonly forwardPath: boolean;
  /** The file /.well-known/apple-app-site-association. */
  readonly appleAppSiteAssociation: { readonly [name: string]: unknown } | null;
  /** The file /.well-known/assetlinks.json. */
  readonly assetLinks: ReadonlyArray<{ readonly [name: string]: unknown }> | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When it was first verified. */
  readonly verifiedAt: string | null;
  /** When the TXT record was last looked up. */
  readonly lastCheckedAt: string | null;
  /** Why the last look-up did not verify the domain. */
  readonly lastError: string | null;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface WebhookDisabledEventData {
  readonly id: string;
  /** The URL of the receiver. */
  readonly url: string;
  /** When the server disabled the webhook. */
  readonly disabledAt: string;
  /** Why the server disabled the webhook. `failing`: every attempt failed for 5 days, or for the time that the operator set. */
  readonly disabledReason: 'failing';
  /** When the first attempt since the last success failed. Null while attempts succeed. */
  readonly failingSince: string | null;
  /** When the last attempt succeeded. */
  readonly lastSuccessAt: string | null;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface LinkRule {
  /** The name of the rule in reports. */
  readonly name?: string | undefined;
  /** What a visit must have. */
  readonly when: {
    /** The types of devices. */
    readonly device?: ReadonlyArray<DeviceType> | undefined;
    /** The operating systems. */
    readonly os?: ReadonlyArray<string> | undefined;
    /** The browsers. */
    readonly browser?: ReadonlyArray<string> | undefined;
    /** The countries (ISO 3166-1 alpha-2). */
    readonly country?: ReadonlyArray<string> | undefined;
    /** The first languages of `Accept-Language`. */
    readonly language?: ReadonlyArray<string> | undefined;
    /** The query parameters; true stands for any value. */
    readonly query?: { readonly [name: string]: string | true } | undefined;
    /** The hosts of the referring page, subdomains included. */
    readonly referrer?: ReadonlyArray<string> | undefined;
    /** Matches visits at or after this time. */
    readonly after?: string | undefined;
    /** Matches visits before this time. */
    readonly before?: string | undefined;
  };
  /** Where the link leads, exactly as it was sent. */
  readonly targetUrl?: string | undefined;
  /** Targets that visitors are divided among. */
  readonly variants?: ReadonlyArray<LinkVariant> | undefined;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface LinkPreview {
  /** The title that link previews show. */
  readonly title: string;
  /** The text below the title. Null: none. */
  readonly description: string | null;
  /** The URL of the image. Null: none. */
  readonly imageUrl: string | null;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export interface ClickedVisit {
  /** The id of the link. */
  readonly urlId: string;
  /** The random code of the link. Its QR codes contain it. */
  readonly shortCode: string;
  /** The chosen path of the link. Null: the short code is its path. */
  readonly customSlug: string | null;
  /** The public link: the custom slug when there is one, otherwise the short code. */
  readonly shortUrl: string;
  /** The time of the visit. */
  readonly visitedAt: string;
  /** `scan`: the visitor scanned a QR code of the link. */
  readonly method: 'click' | 'scan';
  /** `proven`: only a QR code explains the scan. `inferred`: a tap on the link in a message looks the same. Absent from a click. */
  readonly scanCertainty?: 'proven' | 'inferred' | undefined;
  /** ISO 3166-1 alpha-2, or "Unknown". */
  readonly country: string;
  readonly deviceType: DeviceType;
  readonly browser: string;
  readonly os: string;
  /** A host, or "(direct)". */
  readonly referrerDomain: string;
  readonly referrerType: ReferrerType;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export type QrFormat = 'png' | 'svg' | 'webp';

/** The TXT record to set in DNS, which proves that the hostname is yours. */
export interface DomainTxtRecord {
  readonly name: string;
  readonly type: 'TXT';
  readonly value: string;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export type DeviceType = 'desktop' | 'mobile' | 'tablet' | 'tv' | 'console' | 'other';

export interface LinkVariant {
  /** Where the link leads, exactly as it was sent. */
  readonly targetUrl: string;
  /** The variant's share, in relation to the sum of all weights. */
  readonly weight: number;
  /** A newer server may add fields. */
  readonly [field: string]: unknown;
}

export type ReferrerType = 'direct' | 'search' | 'social' | 'email' | 'paid' | 'ai' | 'internal' | 'other';

/** The data of each event type. */
export interface WebhookEventData {
  readonly 'url.created': UrlEventData;
  readonly 'url.updated': UrlEventData;
  readonly 'url.deleted': UrlDeletedEventData;
  readonly 'url.restored': UrlEventData;
  readonly 'url.clicked': UrlClickedEventData;
  readonly 'url.click_threshold': ThresholdEventData;
  readonly 'url.expired': UrlEventData;
  readonly 'qr.created': QrEventData;
  readonly 'qr.scan_threshold': ThresholdEventData;
  readonly 'qr.deleted': QrEventData;
  readonly 'domain.verified': DomainEventData;
  readonly 'webhook.disabled': WebhookDisabledEventData;
}
