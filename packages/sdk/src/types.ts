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

/** What the organization uses of its plan. */
export type Usage = Schemas['Usage'];
/** What a token is asked for with. */
export type TokenRequest = Schemas['TokenRequest'];
/** An access token. */
export type Token = Schemas['Token'];
