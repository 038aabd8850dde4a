export { ApiPromise, type ApiResponse, type WithResponse } from './api-promise.js';
export { type BulkResult, ShortyBulkError } from './bulk-error.js';
export { Shorty } from './client.js';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  GoneError,
  isShortyError,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
  ShortyConfigError,
  ShortyError,
  type ShortyErrorInit,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
} from './errors.js';
export type {
  BulkOptions,
  RequestInfo,
  RequestOptions,
  ResponseInfo,
  RetryInfo,
  ShortyHooks,
  ShortyOptions,
} from './options.js';
export type { Page, PagedList } from './paginate.js';
export type { AnalyticsResource } from './resources/analytics.js';
export type { UrlList, UrlsResource } from './resources/urls.js';
export type { UsageResource } from './resources/usage.js';
export type {
  AnalyticsOverview,
  BulkCreateResult,
  BulkDeleteResult,
  BulkUpdateResult,
  ClickBreakdowns,
  ClickBucket,
  ClicksQuery,
  ErrorCode,
  ErrorDetail,
  UrlBulkCreateResult,
  UrlBulkDeleteResult,
  UrlBulkUpdateItem,
  UrlBulkUpdateResult,
  UrlClicks,
  UrlCreated,
  UrlCreateRequest,
  UrlId,
  UrlListItem,
  UrlListQuery,
  UrlPage,
  UrlRecord,
  UrlUpdateRequest,
  Usage,
} from './types.js';
