import type { components, operations } from './generated/api.js';

type Schemas = components['schemas'];

/** An error code of the API. */
export type ErrorCode = Schemas['ErrorCode'];
/** An invalid field: its JSON path and its rule. */
export type ErrorDetail = Schemas['ErrorDetail'];
/** The body of every error response. */
export type ErrorResponse = Schemas['ErrorResponse'];

/** The id of a link: a string in responses, a string or a number in requests. */
export type UrlId = string | number;
/** A link to create. */
export type UrlCreateRequest = Schemas['UrlCreateRequest'];
/** The response of `urls.create`. */
export type UrlCreated = Schemas['UrlCreated'];
/** The fields of a link to change; null clears an optional one. */
export type UrlUpdateRequest = Schemas['UrlUpdateRequest'];
/** A link with all fields except the password. */
export type UrlRecord = Schemas['UrlRecord'];
/** A link in a list. */
export type UrlListItem = Schemas['UrlListItem'];
/** Filters and paging of a list of links. `limit` is the size of a page, 1 to 100. */
export type UrlListQuery = NonNullable<operations['listUrls']['parameters']['query']>;
/** One page of a list of links, newest first. */
export type UrlPage =
  operations['listUrls']['responses'][200]['content']['application/json']['data'];

/** One change of a bulk update: the id of a link, and its fields to change. */
export type UrlBulkUpdateItem = Schemas['UrlBulkUpdateItem'];
/** The results of one request to create links. `index` counts from 0. */
export type UrlBulkCreateResult = Schemas['UrlBulkCreateResult'];
/** The results of one request to change links. `index` counts from 0. */
export type UrlBulkUpdateResult = Schemas['UrlBulkUpdateResult'];
/** The deactivated links and skipped ids of one request. */
export type UrlBulkDeleteResult = Schemas['UrlBulkDeleteResult'];
/** The results of a whole bulk create. */
export type BulkCreateResult = UrlBulkCreateResult;
/** The results of a whole bulk update. */
export type BulkUpdateResult = UrlBulkUpdateResult;
/** The deactivated links and skipped ids of a whole bulk delete. */
export type BulkDeleteResult = UrlBulkDeleteResult;

/** The window of a report, its grouping and the length of its breakdowns. */
export type ClicksQuery = NonNullable<operations['getUrlClicks']['parameters']['query']>;
/** The clicks of a link in a window. */
export type UrlClicks = Schemas['UrlClicks'];
/** The clicks of all links in a window, and the links with the most clicks. */
export type AnalyticsOverview = Schemas['AnalyticsOverview'];
/** Clicks by country, device, browser, operating system and referrer, the largest first. */
export type ClickBreakdowns = Schemas['ClickBreakdowns'];
/** One bucket of a time series. */
export type ClickBucket = Schemas['ClickBucket'];

/** A QR code to create, for a link (`urlId`) or a text (`data`). */
export type QrCreateRequest = Schemas['QrCreateRequest'];
/** The design fields of a QR code to change. Its content never changes. */
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

/** A type of event that a webhook can subscribe to. */
export type EventType = Schemas['EventType'];
/** A webhook to create. */
export type WebhookCreateRequest = Schemas['WebhookCreateRequest'];
/** The fields of a webhook to change. */
export type WebhookUpdateRequest = Schemas['WebhookUpdateRequest'];
/** The response of `webhooks.create`. Only this response contains the signing secret. */
export type WebhookCreated = Schemas['WebhookCreated'];
/** A webhook without its secret. */
export type Webhook = Schemas['Webhook'];
/** The type of a test event. */
export type WebhookTestRequest = Schemas['WebhookTestRequest'];
/** A new signing secret, and the time until which the previous secret also signs. */
export type WebhookSecret = Schemas['WebhookSecret'];
/** Paging of a list of webhooks. `limit` is the size of a page, 1 to 100. */
export type WebhookListQuery = NonNullable<operations['listWebhooks']['parameters']['query']>;
/** One page of a list of webhooks, newest first. */
export type WebhookPage =
  operations['listWebhooks']['responses'][200]['content']['application/json']['data'];
/** The delivery of an event to a webhook. */
export type Delivery = Schemas['Delivery'];
/** The status of a delivery. It is `failed` if its last attempt failed. */
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

/** The usage of an organization in a month. */
export type Usage = Schemas['Usage'];
/** A meter with the amount that the plan includes, and the cost of overage. */
export type BundledUsage = Schemas['BundledUsage'];
/** The month to read. */
export type UsageQuery = NonNullable<operations['getUsage']['parameters']['query']>;
/** A request for a token. */
export type TokenRequest = Schemas['TokenRequest'];
/** An access token. */
export type Token = Schemas['Token'];
