import type { CallInput, Route, WithDates } from './calls.js';
import type { components, operations } from './generated/api.js';
import type { Page } from './paginate.js';

// Interfaces have names of their own, which editors show instead of all fields.
type Schemas = components['schemas'];
type Schema<Name extends keyof Schemas> = Schemas[Name];
type Request<Name extends keyof Schemas> = WithDates<Schemas[Name]>;
type Query<R extends Route> = NonNullable<CallInput<R>['query']>;

/** An error code of the API. */
export type ErrorCode = Schemas['ErrorCode'];
/** An invalid field: its JSON path and its rule. */
export interface ErrorDetail extends Schema<'ErrorDetail'> {}
/** The body of every error response. */
export interface ErrorResponse extends Schema<'ErrorResponse'> {}

/** The id of a link: a string in responses, a string or a number in requests. */
export type UrlId = string | number;
/** A link to create. */
export type UrlCreateRequest = UrlFields & PasswordFields;

interface UrlFields extends Omit<Request<'UrlCreateRequest'>, 'isPasswordProtected' | 'password'> {}

type PasswordFields =
  | { isPasswordProtected?: false | null; password?: null }
  | {
      /** Whether visitors need a password. */
      isPasswordProtected: true;
      /** Stored only as a hash, never returned. */
      password: string;
    };

/** What a page says about itself. */
export interface PageMetadata extends Schema<'PageMetadata'> {}

/** The response of `urls.create`. */
export interface UrlCreated extends Schema<'UrlCreated'> {}
/** The fields of a link to change; null clears an optional one. */
export interface UrlUpdateRequest extends Request<'UrlUpdateRequest'> {}
export interface UrlUpsertRequest extends Request<'UrlUpsertRequest'> {}
/** A link with all fields except the password. */
export interface UrlRecord extends Schema<'UrlRecord'> {}
/** A link in a list. */
export interface UrlListItem extends Schema<'UrlListItem'> {}
/** Filters and paging of a list of links. `limit` is the size of a page, 1 to 100. */
export interface UrlListQuery extends Query<'GET /api/v1/urls'> {}
/** Filters and paging of an export. `limit` is the size of a page, 1 to 2,000. */
export interface UrlExportQuery extends Query<'GET /api/v1/urls/export'> {}
/** The window, the filters and the page of an export of visits. */
export interface VisitExportQuery extends Query<'GET /api/v1/visits'> {}
/** One page of exported visits. */
export interface VisitExport extends Schema<'VisitExport'> {}
/** One page of a CSV file with links. */
export interface UrlExport extends Schema<'UrlExport'> {}
/** One page of a list of links, newest first. */
export interface UrlPage extends Page<UrlListItem> {}
/** One page of a list of links with all their fields. */
export interface UrlRecordPage extends Page<UrlRecord> {}

/** One change of a bulk update: the id of a link, and its fields to change. */
export interface UrlBulkUpdateItem extends Request<'UrlBulkUpdateItem'> {}
/** The results of one request to create links. `index` counts from 0. */
export interface UrlBulkCreateResult extends Schema<'UrlBulkCreateResult'> {}
/** The results of one request to change links. `index` counts from 0. */
export interface UrlBulkUpdateResult extends Schema<'UrlBulkUpdateResult'> {}
/** The deactivated links and skipped ids of one request. */
export interface UrlBulkDeleteResult extends Schema<'UrlBulkDeleteResult'> {}
/** The results of a whole bulk create. */
export interface BulkCreateResult extends UrlBulkCreateResult {}
/** The results of a whole bulk update. */
export interface BulkUpdateResult extends UrlBulkUpdateResult {}
/** The deactivated links and skipped ids of a whole bulk delete. */
export interface BulkDeleteResult extends UrlBulkDeleteResult {}

/** A custom slug to check. */
export interface SlugCheckQuery extends Query<'GET /api/v1/urls/slug'> {}
/** Whether a custom slug may be taken. */
export interface SlugCheck extends Schema<'SlugCheck'> {}

/** The properties of a visit, to test rules by. */
export interface RuleTestQuery extends Query<'GET /api/v1/urls/{id}/rules/test'> {}
/** Where the rules of a link lead a visit. */
export interface RuleTest extends Schema<'RuleTest'> {}

/** The window of a report, its grouping, its filters and the length of its breakdowns. */
export interface ClicksQuery extends Query<'GET /api/v1/urls/{id}/clicks'> {}
/** The same for all links, with filters for links. */
export interface OverviewQuery extends Query<'GET /api/v1/analytics/overview'> {}
/** The clicks of a link in a window. */
export interface UrlClicks extends Schema<'UrlClicks'> {}
/** The clicks of all links in a window, and the links with the most clicks. */
export interface AnalyticsOverview extends Schema<'AnalyticsOverview'> {}
/** Clicks by country, device, browser, operating system and referrer, the largest first. */
export interface ClickBreakdowns extends Schema<'ClickBreakdowns'> {}
/** One bucket of a time series. */
export interface ClickBucket extends Schema<'ClickBucket'> {}

/** A QR code to create, for a link (`urlId`) or a text (`data`). */
export type QrCreateRequest = QrDesign & QrContent;

interface QrDesign extends Omit<Schema<'QrCreateRequest'>, 'urlId' | 'data'> {}

type QrContent =
  | {
      /** The link that the code leads to. */
      urlId: UrlId;
      data?: null;
    }
  | {
      urlId?: null;
      /** The text of a code without a link, at most 2048 bytes in UTF-8. */
      data: string;
    };
/** The design fields of a QR code to change. Its content never changes. */
export interface QrUpdateRequest extends Schema<'QrUpdateRequest'> {}
/** The image of a QR code that was drawn and not created. */
export interface QrPreview extends Schema<'QrPreview'> {}
/** A QR code. */
export interface QrRecord extends Schema<'QrRecord'> {}
/** Filters and paging of a list of QR codes. `limit` is the size of a page, 1 to 100. */
export interface QrListQuery extends Query<'GET /api/v1/qr'> {}
/** Paging of a list of the QR codes of a link. `limit` is the size of a page, 1 to 100. */
export interface UrlQrListQuery extends Query<'GET /api/v1/urls/{id}/qr'> {}
/** One page of a list of QR codes, newest first. */
export interface QrPage extends Page<QrRecord> {}
/** The window of a report on scans, its grouping and the length of its breakdowns. */
export interface ScansQuery extends Query<'GET /api/v1/qr/{id}/scans'> {}
/** The scans of a QR code in a window. */
export interface QrScans extends Schema<'QrScans'> {}
/** Scans by country, device, browser, method and app, the largest first. */
export interface ScanBreakdowns extends Schema<'ScanBreakdowns'> {}
/** One bucket of a time series of scans. */
export interface ScanBucket extends Schema<'ScanBucket'> {}

/** A type of event that a webhook can subscribe to. */
export type EventType = Schemas['EventType'];
/** An event type with its description, the JSON schema of its body, and an example. */
export interface EventTypeDetails extends Schema<'EventTypeDetails'> {}
/** All event types that a server knows. */
export interface EventTypeList {
  items: EventTypeDetails[];
}
/** The body of a delivery: a union of all events that `type` discriminates. */
export type WebhookEvent<Type extends EventType = EventType> = {
  [Name in Type]: operations[Name]['requestBody']['content']['application/json'];
}[Type];
/** An event type, or `*` for all types, including future ones. */
export type SubscribedEventType = Schemas['SubscribedEventType'];
/** A webhook to create. */
export interface WebhookCreateRequest extends Omit<Schema<'WebhookCreateRequest'>, 'events'> {
  /** The event types to deliver: at least one, or `*` for all. Repeated types count once. */
  events: [SubscribedEventType, ...SubscribedEventType[]];
}
/** The fields of a webhook to change. */
export interface WebhookUpdateRequest extends Omit<Schema<'WebhookUpdateRequest'>, 'events'> {
  /** The event types to deliver: at least one, or `*` for all. Repeated types count once. */
  events?: [SubscribedEventType, ...SubscribedEventType[]];
}
/** The links whose events a webhook gets. */
export interface WebhookFilters extends Schema<'WebhookFilters'> {}
/** The response of `webhooks.create`. Only this response contains the signing secret. */
export interface WebhookCreated extends Schema<'WebhookCreated'> {}
/** A webhook without its secret. */
export interface Webhook extends Schema<'Webhook'> {}
/** When old signing secrets end. */
export interface WebhookRotateRequest extends Schema<'WebhookRotateRequest'> {}
/** The type of a test event. */
export interface WebhookTestRequest extends Schema<'WebhookTestRequest'> {}
/** A new signing secret, and the time until which the previous secret also signs. */
export interface WebhookSecret extends Schema<'WebhookSecret'> {}
/** Paging of a list of webhooks. `limit` is the size of a page, 1 to 100. */
export interface WebhookListQuery extends Query<'GET /api/v1/webhooks'> {}
/** One page of a list of webhooks, newest first. */
export interface WebhookPage extends Page<Webhook> {}
/** The delivery of an event to a webhook. */
export interface Delivery extends Schema<'Delivery'> {}
/** The status of a delivery. It is `failed` if its last attempt failed. */
export type DeliveryStatus = Schemas['DeliveryStatus'];
/** A delivery with its body and all its attempts. */
export interface DeliveryDetail extends Schema<'DeliveryDetail'> {}
/** One attempt of a delivery. */
export interface DeliveryAttempt extends Schema<'DeliveryAttempt'> {}
/** Filters and paging of a list of deliveries. `limit` is the size of a page, 1 to 100. */
export interface DeliveryListQuery extends Query<'GET /api/v1/webhooks/{id}/deliveries'> {}
/** The failed deliveries to send again: those created since a time. */
export interface RecoverRequest extends Request<'RecoverRequest'> {}
/** How many deliveries a recovery created, and whether more remain. */
export interface Recovered extends Schema<'Recovered'> {}
/** The range of a list of events, and how long to wait for one. `limit` is the size of a page, 1 to 100. */
export interface EventListQuery extends Query<'GET /api/v1/events'> {}
/** One page of a list of events, oldest first. */
export interface EventPage extends Omit<Schema<'EventPage'>, 'items'> {
  items: WebhookEvent[];
}
/** The window of the statistics of a webhook, and their grouping. */
export interface WebhookStatsQuery extends Query<'GET /api/v1/webhooks/{id}/stats'> {}
/** The attempts of a webhook in a window: outcomes, response times and causes of failures. */
export interface WebhookStats extends Schema<'WebhookStats'> {}
/** One page of a list of deliveries, newest first. */
export interface DeliveryPage extends Page<Delivery> {}

/** A custom domain to add. */
export interface DomainCreateRequest extends Schema<'DomainCreateRequest'> {}
/** A custom domain, and the TXT record that verifies it. */
export interface DomainUpdateRequest extends Schema<'DomainUpdateRequest'> {}

export interface Domain extends Schema<'Domain'> {}
/** Filters and paging of a list of domains. `limit` is the size of a page, 1 to 100. */
export interface DomainListQuery extends Query<'GET /api/v1/domains'> {}
/** One page of a list of domains, newest first. */
export interface DomainPage extends Page<Domain> {}

/** A tag and the number of its links. */
export interface Tag extends Schema<'Tag'> {}
/** Filters, order and paging of a list of tags. `limit` is the size of a page, 1 to 100. */
export interface TagListQuery extends Query<'GET /api/v1/tags'> {}
/** One page of a list of tags. */
export interface TagPage extends Page<Tag> {}
/** The new name of a tag. */
export interface TagRenameRequest extends Request<'TagRenameRequest'> {}
/** The number of links that a rename or a deletion changed, and whether links remain. */
export interface VisitErasure extends Schema<'VisitErasure'> {}
export interface TagChangeResult extends Schema<'TagChangeResult'> {}

/** An API key to create. */
export interface ApiKeyCreateRequest extends Request<'ApiKeyCreateRequest'> {}
/** The response of `apiKeys.create`. Only this response contains the key. */
export interface ApiKeyCreated extends Schema<'ApiKeyCreated'> {}
/** An API key without its secret part. */
export interface ApiKey extends Schema<'ApiKey'> {}
/** Paging of a list of API keys. `limit` is the size of a page, 1 to 100. */
export interface ApiKeyListQuery extends Query<'GET /api/v1/api-keys'> {}
/** One page of a list of API keys, newest first. */
export interface ApiKeyPage extends Page<ApiKey> {}
/** Who changed which record, and from which address. */
export interface AuditEntry extends Schema<'AuditEntry'> {}
/** Filters and paging of the audit log. `limit` is the size of a page, 1 to 100. */
export interface AuditQuery extends Query<'GET /api/v1/audit'> {}
/** One page of the audit log, newest first. */
export interface AuditPage extends Page<AuditEntry> {}
/** An organization, as the operator of the server reads it. */
export interface Organization extends Schema<'Organization'> {}
/** The fields of an organization to change. */
export interface OrganizationUpdateRequest extends Request<'OrganizationUpdateRequest'> {}
/** The use of an organization in a month. */
export interface OrganizationUsage extends Schema<'OrganizationUsage'> {}
/** An API client of an organization, without its secret. */
export interface OrganizationClient extends Schema<'Client'> {}
/** A link that the operator took down. */
export interface Takedown extends Schema<'Takedown'> {}
/** A host that the operator blocked. */
export interface BlockedHost extends Schema<'BlockedHost'> {}
/** An API client to create. */
export interface ClientCreateRequest extends Request<'ClientCreateRequest'> {}
/** The organization of the caller, its plan and the scopes of the token or key. */
export interface Me extends Schema<'Me'> {}
/** The settings of the caller's organization. */
export interface OwnOrganization extends Schema<'OwnOrganization'> {}
/** The settings to change. */
export interface OwnOrganizationUpdateRequest extends Request<'OwnOrganizationUpdateRequest'> {}

/** The usage of an organization in a month. */
export interface Usage extends Schema<'Usage'> {}
/** A meter with the amount that the plan includes, and the cost of overage. */
export interface BundledUsage extends Schema<'BundledUsage'> {}
/** The month to read. */
export interface UsageQuery extends Query<'GET /api/v1/usage'> {}
/** A request for a token. */
export interface TokenRequest extends Schema<'TokenRequest'> {}
/** An access token. */
export interface Token extends Schema<'Token'> {}
