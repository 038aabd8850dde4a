import type { components, operations } from './generated/api.js';

type Schemas = components['schemas'];

/** Every code that the API answers a failed request with. */
export type ErrorCode = Schemas['ErrorCode'];
/** One fault of a request: the JSON path of the field, and what would be right. */
export type ErrorDetail = Schemas['ErrorDetail'];
/** The envelope of every error. */
export type ErrorResponse = Schemas['ErrorResponse'];

/** The id of a link: answers have strings, requests take numbers too. */
export type UrlId = string | number;
/** A link to create. */
export type UrlCreateRequest = Schemas['UrlCreateRequest'];
/** What create answers. */
export type UrlCreated = Schemas['UrlCreated'];
/** The fields of a link to change; null clears an optional one. */
export type UrlUpdateRequest = Schemas['UrlUpdateRequest'];
/** A link with every field but its password. */
export type UrlRecord = Schemas['UrlRecord'];
/** A link as lists show it. */
export type UrlListItem = Schemas['UrlListItem'];
/** Filters and paging of a list of links. `limit` is the size of a page, 1 to 100. */
export type UrlListQuery = NonNullable<operations['listUrls']['parameters']['query']>;
/** One page of a list of links, newest first. */
export type UrlPage =
  operations['listUrls']['responses'][200]['content']['application/json']['data'];

/** One change of a bulk update: the id of a link, and its fields to change. */
export type UrlBulkUpdateItem = Schemas['UrlBulkUpdateItem'];
/** What became of each item of one request to create links; `index` counts from 0. */
export type UrlBulkCreateResult = Schemas['UrlBulkCreateResult'];
/** What became of each item of one request to change links; `index` counts from 0. */
export type UrlBulkUpdateResult = Schemas['UrlBulkUpdateResult'];
/** Which links one request has deactivated, and which ids it has skipped. */
export type UrlBulkDeleteResult = Schemas['UrlBulkDeleteResult'];
/** What became of each item of a whole bulk create. */
export type BulkCreateResult = UrlBulkCreateResult;
/** What became of each item of a whole bulk update. */
export type BulkUpdateResult = UrlBulkUpdateResult;
/** What a whole bulk delete has deactivated and skipped. */
export type BulkDeleteResult = UrlBulkDeleteResult;

/** The window of a report, its grouping and the length of its breakdowns. */
export type ClicksQuery = NonNullable<operations['getUrlClicks']['parameters']['query']>;
/** The clicks of a link in a window. */
export type UrlClicks = Schemas['UrlClicks'];
/** The clicks of all links in a window, and which were clicked most. */
export type AnalyticsOverview = Schemas['AnalyticsOverview'];
/** Clicks by country, device, browser, operating system and referrer, the largest first. */
export type ClickBreakdowns = Schemas['ClickBreakdowns'];
/** One bucket of a time series. */
export type ClickBucket = Schemas['ClickBucket'];

/** A QR code to create: either for a link (`urlId`) or with a text of its own (`data`). */
export type QrCreateRequest = Schemas['QrCreateRequest'];
/** How a QR code shall look; what it carries never changes. */
export type QrUpdateRequest = Schemas['QrUpdateRequest'];
/** A QR code. */
export type QrRecord = Schemas['QrRecord'];
/** Filters and paging of a list of QR codes. `limit` is the size of a page, 1 to 100. */
export type QrListQuery = NonNullable<operations['listQrs']['parameters']['query']>;
/** One page of a list of QR codes, newest first. */
export type QrPage = operations['listQrs']['responses'][200]['content']['application/json']['data'];
/** The window of a report on scans, its grouping and the length of its breakdowns. */
export type ScansQuery = NonNullable<operations['getQrScans']['parameters']['query']>;
/** The scans of a QR code in a window. */
export type QrScans = Schemas['QrScans'];
/** Scans by country, device, browser, method and app, the largest first. */
export type ScanBreakdowns = Schemas['ScanBreakdowns'];
/** One bucket of a time series of scans. */
export type ScanBucket = Schemas['ScanBucket'];

/** What can be subscribed to. */
export type EventType = Schemas['EventType'];
/** A webhook to create. */
export type WebhookCreateRequest = Schemas['WebhookCreateRequest'];
/** The fields of a webhook to change. */
export type WebhookUpdateRequest = Schemas['WebhookUpdateRequest'];
/** What create answers: the only answer with the signing secret. */
export type WebhookCreated = Schemas['WebhookCreated'];
/** A webhook without its secret. */
export type Webhook = Schemas['Webhook'];
/** Which event a test shall send. */
export type WebhookTestRequest = Schemas['WebhookTestRequest'];
/** A new signing secret, and until when the one before signs as well. */
export type WebhookSecret = Schemas['WebhookSecret'];
/** Paging of a list of webhooks. `limit` is the size of a page, 1 to 100. */
export type WebhookListQuery = NonNullable<operations['listWebhooks']['parameters']['query']>;
/** One page of a list of webhooks, newest first. */
export type WebhookPage =
  operations['listWebhooks']['responses'][200]['content']['application/json']['data'];
/** An event on its way to a webhook. */
export type Delivery = Schemas['Delivery'];
/** Where a delivery stands: failed is one whose last attempt has failed. */
export type DeliveryStatus = Schemas['DeliveryStatus'];
/** A delivery with its body and all its attempts. */
export type DeliveryDetail = Schemas['DeliveryDetail'];
/** One attempt of a delivery. */
export type DeliveryAttempt = Schemas['DeliveryAttempt'];
/** Filters and paging of a list of deliveries. `limit` is the size of a page, 1 to 100. */
export type DeliveryListQuery = NonNullable<operations['listDeliveries']['parameters']['query']>;
/** One page of a list of deliveries, newest first. */
export type DeliveryPage =
  operations['listDeliveries']['responses'][200]['content']['application/json']['data'];

/** A custom domain to add. */
export type DomainCreateRequest = Schemas['DomainCreateRequest'];
/** A custom domain, and the TXT record that verifies it. */
export type Domain = Schemas['Domain'];
/** Filters and paging of a list of domains. `limit` is the size of a page, 1 to 100. */
export type DomainListQuery = NonNullable<operations['listDomains']['parameters']['query']>;
/** One page of a list of domains, newest first. */
export type DomainPage =
  operations['listDomains']['responses'][200]['content']['application/json']['data'];

/** What the organization has used in a month. */
export type Usage = Schemas['Usage'];
/** A meter of which the plan includes so many, and what more of it cost. */
export type BundledUsage = Schemas['BundledUsage'];
/** Which month is read. */
export type UsageQuery = NonNullable<operations['getUsage']['parameters']['query']>;
/** What a token is asked for with. */
export type TokenRequest = Schemas['TokenRequest'];
/** An access token. */
export type Token = Schemas['Token'];
