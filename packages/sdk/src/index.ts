export { ApiPromise, type ApiResponse, type WithResponse } from './api-promise.js';
export type { BulkItems } from './bulk.js';
export { type BulkResult, ShortyBulkError } from './bulk-error.js';
export type { Method, RequestInput } from './calls.js';
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
export type { Fetch, FetchInit, FetchResponse } from './fetch.js';
export type {
  AdminResource,
  ApiKeysResource,
  EventsResource,
  OrganizationResource,
  QrResource,
  TagsResource,
  UsageResource,
  WebhooksResource,
} from './generated/resources.js';
export type {
  BulkOptions,
  ChangeOptions,
  ClientOptions,
  RequestHeaders,
  RequestInfo,
  RequestOptions,
  ResponseInfo,
  RetryInfo,
  ShortyCredentials,
  ShortyHooks,
  ShortyOptions,
} from './options.js';
export type { Page, PagedList } from './paginate.js';
export type { QrImage } from './read-response.js';
export type { AnalyticsResource } from './resources/analytics.js';
export type { DomainsResource, VerifyOptions } from './resources/domains.js';
export type { UrlsResource } from './resources/urls.js';
export type * from './types.js';
