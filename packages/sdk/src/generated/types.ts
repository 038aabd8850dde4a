// Generated from openapi.yaml by `npm run generate`. Do not edit.
import type { QueryOf, WithDates } from '../calls.js';
import type { components } from './api.js';

// Interfaces have names of their own, which editors show instead of all fields.
type Schemas = components['schemas'];
type Schema<Name extends keyof Schemas> = Schemas[Name];

/** The result of `analytics.overview`. */
export interface AnalyticsOverview extends Schema<'AnalyticsOverview'> {}

/** The result of `apiKeys.delete`. */
export interface ApiKey extends Schema<'ApiKey'> {}

/** The body of `apiKeys.create`. */
export interface ApiKeyCreateRequest extends WithDates<Schemas['ApiKeyCreateRequest']> {}

/** The result of `apiKeys.create`. */
export interface ApiKeyCreated extends Schema<'ApiKeyCreated'> {}

/** The result of `apiKeys.list`. */
export interface ApiKeyPage extends Schema<'ApiKeyPage'> {}

export interface AttemptBucket extends Schema<'AttemptBucket'> {}

export interface AuditEntry extends Schema<'AuditEntry'> {}

/** The result of `audit`. */
export interface AuditPage extends Schema<'AuditPage'> {}

/** The result of `admin.blockedHosts.create`. */
export interface BlockedHost extends Schema<'BlockedHost'> {}

/** The result of `admin.blockedHosts.list`. */
export interface BlockedHostPage extends Schema<'BlockedHostPage'> {}

/** The body of `admin.blockedHosts.create`. */
export interface BlockedHostRequest extends WithDates<Schemas['BlockedHostRequest']> {}

export interface BundledUsage extends Schema<'BundledUsage'> {}

export interface ClickBreakdowns extends Schema<'ClickBreakdowns'> {}

export interface ClickBucket extends Schema<'ClickBucket'> {}

/** The result of `admin.clients.revoke`. */
export interface Client extends Schema<'Client'> {}

/** The body of `admin.clients.create`. */
export interface ClientCreateRequest extends WithDates<Schemas['ClientCreateRequest']> {}

/** The result of `admin.clients.create`. */
export interface ClientCreated extends Schema<'ClientCreated'> {}

/** The result of `admin.clients.list`. */
export interface ClientPage extends Schema<'ClientPage'> {}

/** The result of `webhooks.test`. */
export interface Delivery extends Schema<'Delivery'> {}

export interface DeliveryAttempt extends Schema<'DeliveryAttempt'> {}

/** The result of `webhooks.delivery`. */
export interface DeliveryDetail extends Schema<'DeliveryDetail'> {}

/** The result of `webhooks.deliveries`. */
export interface DeliveryPage extends Schema<'DeliveryPage'> {}

/** `failed`: the last attempt of the schedule failed, or the webhook no longer wants the event. */
export type DeliveryStatus = Schema<'DeliveryStatus'>;

export type DeviceType = Schema<'DeviceType'>;

/** The result of `domains.create`. */
export interface Domain extends Schema<'Domain'> {}

/** The body of `domains.create`. */
export interface DomainCreateRequest extends WithDates<Schemas['DomainCreateRequest']> {}

/** The result of `domains.list`. */
export interface DomainPage extends Schema<'DomainPage'> {}

/** The TXT record to set in DNS, which proves that the hostname is yours. */
export interface DomainTxtRecord extends Schema<'DomainTxtRecord'> {}

/** The settings to change; null clears an optional one. */
export interface DomainUpdateRequest extends WithDates<Schemas['DomainUpdateRequest']> {}

export type ErrorCode = Schema<'ErrorCode'>;

export interface ErrorDetail extends Schema<'ErrorDetail'> {}

/** The response of a failed request. */
export interface ErrorResponse extends Schema<'ErrorResponse'> {}

export type EventType = Schema<'EventType'>;

export interface EventTypeDetails extends Schema<'EventTypeDetails'> {}

/** The result of `webhooks.eventTypes`. */
export interface EventTypePage extends Schema<'EventTypePage'> {}

export type Instant = Schema<'Instant'>;

/** The result of `people.invite`. */
export interface Invitation extends Schema<'Invitation'> {}

/** The body of `session.acceptInvitation`. */
export interface InvitationAcceptRequest extends WithDates<Schemas['InvitationAcceptRequest']> {}

export type KeyScope = Schema<'KeyScope'>;

export interface LinkPreview extends Schema<'LinkPreview'> {}

export interface LinkPreviewRequest extends WithDates<Schemas['LinkPreviewRequest']> {}

export interface LinkRule extends Schema<'LinkRule'> {}

export interface LinkRuleRequest extends WithDates<Schemas['LinkRuleRequest']> {}

export interface LinkVariant extends Schema<'LinkVariant'> {}

export interface LinkVariantRequest extends WithDates<Schemas['LinkVariantRequest']> {}

/** The result of `me`. */
export interface Me extends Schema<'Me'> {}

/** The result of `admin.organizations.get`. */
export interface Organization extends Schema<'Organization'> {}

/** The body of `admin.organizations.create`. */
export interface OrganizationCreateRequest extends WithDates<Schemas['OrganizationCreateRequest']> {}

/** The result of `admin.organizations.create`. */
export interface OrganizationCreated extends Schema<'OrganizationCreated'> {}

/** The result of `admin.organizations.delete`. */
export interface OrganizationDeletion extends Schema<'OrganizationDeletion'> {}

/** The body of `admin.organizations.delete`. */
export interface OrganizationDeletionRequest extends WithDates<Schemas['OrganizationDeletionRequest']> {}

/** The result of `admin.organizations.list`. */
export interface OrganizationPage extends Schema<'OrganizationPage'> {}

/** The body of `admin.organizations.update`. */
export interface OrganizationUpdateRequest extends WithDates<Schemas['OrganizationUpdateRequest']> {}

export interface OrganizationUsage extends Schema<'OrganizationUsage'> {}

/** The result of `admin.usage`. */
export interface OrganizationUsagePage extends Schema<'OrganizationUsagePage'> {}

/** The result of `organization.get`. */
export interface OwnOrganization extends Schema<'OwnOrganization'> {}

/** The body of `organization.update`. */
export interface OwnOrganizationUpdateRequest extends WithDates<Schemas['OwnOrganizationUpdateRequest']> {}

/** The result of `urls.metadata`. */
export interface PageMetadata extends Schema<'PageMetadata'> {}

/** The body of `session.changePassword`. */
export interface PasswordChangeRequest extends WithDates<Schemas['PasswordChangeRequest']> {}

/** The body of `qr.create`. */
export interface QrCreateRequest extends WithDates<Schemas['QrCreateRequest']> {}

export type QrFormat = Schema<'QrFormat'>;

/** The result of `qr.list`. */
export interface QrPage extends Schema<'QrPage'> {}

/** The result of `qr.preview`. */
export interface QrPreview extends Schema<'QrPreview'> {}

/** The result of `qr.create`. */
export interface QrRecord extends Schema<'QrRecord'> {}

/** The result of `qr.scans`. */
export interface QrScans extends Schema<'QrScans'> {}

/** The fields to change. The payload of a code never changes: to lead elsewhere, create another code and delete this one. */
export interface QrUpdateRequest extends WithDates<Schemas['QrUpdateRequest']> {}

/** The body of `webhooks.recover`. */
export interface RecoverRequest extends WithDates<Schemas['RecoverRequest']> {}

/** The result of `webhooks.recover`. */
export interface Recovered extends Schema<'Recovered'> {}

export type ReferrerType = Schema<'ReferrerType'>;

/** owner: everything. editor: links, QR codes and domains, and reads the rest. viewer: reads. */
export type Role = Schema<'Role'>;

/** The result of `urls.testRules`. */
export interface RuleTest extends Schema<'RuleTest'> {}

export interface ScanBreakdowns extends Schema<'ScanBreakdowns'> {}

export interface ScanBucket extends Schema<'ScanBucket'> {}

export type ScanMethod = Schema<'ScanMethod'>;

export type Scope = Schema<'Scope'>;

/** The result of `session.acceptInvitation`. */
export interface Session extends Schema<'Session'> {}

/** The body of `session.create`. */
export interface SessionCreateRequest extends WithDates<Schemas['SessionCreateRequest']> {}

/** The result of `session.get`. */
export interface SessionState extends Schema<'SessionState'> {}

/** The result of `urls.checkSlug`. */
export interface SlugCheck extends Schema<'SlugCheck'> {}

/** An event type, or `*` for all types, including future ones. */
export type SubscribedEventType = Schema<'SubscribedEventType'>;

export interface Tag extends Schema<'Tag'> {}

/** The result of `tags.rename`. */
export interface TagChangeResult extends Schema<'TagChangeResult'> {}

/** The result of `tags.list`. */
export interface TagPage extends Schema<'TagPage'> {}

/** The body of `tags.rename`. */
export interface TagRenameRequest extends WithDates<Schemas['TagRenameRequest']> {}

/** The result of `admin.takedowns.create`. */
export interface Takedown extends Schema<'Takedown'> {}

/** The result of `admin.takedowns.list`. */
export interface TakedownPage extends Schema<'TakedownPage'> {}

/** The body of `admin.takedowns.create`. */
export interface TakedownRequest extends WithDates<Schemas['TakedownRequest']> {}

export interface Token extends Schema<'Token'> {}

export interface TokenRequest extends WithDates<Schemas['TokenRequest']> {}

export interface UrlBulkCreateError extends Schema<'UrlBulkCreateError'> {}

/** The body of `urls.bulkCreateChunk`. */
export interface UrlBulkCreateRequest extends WithDates<Schemas['UrlBulkCreateRequest']> {}

/** The result of `urls.bulkCreateChunk`. */
export interface UrlBulkCreateResult extends Schema<'UrlBulkCreateResult'> {}

export interface UrlBulkCreated extends Schema<'UrlBulkCreated'> {}

/** The body of `urls.bulkDeleteChunk`. */
export interface UrlBulkDeleteRequest extends WithDates<Schemas['UrlBulkDeleteRequest']> {}

/** The result of `urls.bulkDeleteChunk`. */
export interface UrlBulkDeleteResult extends Schema<'UrlBulkDeleteResult'> {}

export interface UrlBulkUpdateError extends Schema<'UrlBulkUpdateError'> {}

export interface UrlBulkUpdateItem extends WithDates<Schemas['UrlBulkUpdateItem']> {}

/** The body of `urls.bulkUpdateChunk`. */
export interface UrlBulkUpdateRequest extends WithDates<Schemas['UrlBulkUpdateRequest']> {}

/** The result of `urls.bulkUpdateChunk`. */
export interface UrlBulkUpdateResult extends Schema<'UrlBulkUpdateResult'> {}

export interface UrlBulkUpdated extends Schema<'UrlBulkUpdated'> {}

/** The result of `urls.clicks`. */
export interface UrlClicks extends Schema<'UrlClicks'> {}

/** The body of `urls.create`. */
export interface UrlCreateRequest extends WithDates<Schemas['UrlCreateRequest']> {}

export interface UrlListItem extends Schema<'UrlListItem'> {}

/** The result of `urls.list`. */
export interface UrlPage extends Schema<'UrlPage'> {}

/** The result of `urls.create`. */
export interface UrlRecord extends Schema<'UrlRecord'> {}

/** The fields to change; null clears an optional one. */
export interface UrlUpdateRequest extends WithDates<Schemas['UrlUpdateRequest']> {}

/** The fields of the link. For a link that exists, a missing field stays as it is, null clears an optional one, and customSlug, importedCode, importedClicks and importedCreatedAt must be left out or equal. */
export interface UrlUpsertRequest extends WithDates<Schemas['UrlUpsertRequest']> {}

/** The result of `usage.get`. */
export interface Usage extends Schema<'Usage'> {}

/** The result of `people.changeRole`. */
export interface User extends Schema<'User'> {}

/** The body of `people.invite`. */
export interface UserInviteRequest extends WithDates<Schemas['UserInviteRequest']> {}

/** The result of `people.list`. */
export interface UserPage extends Schema<'UserPage'> {}

/** The body of `people.changeRole`. */
export interface UserRoleRequest extends WithDates<Schemas['UserRoleRequest']> {}

/** The result of `urls.eraseVisits`. */
export interface VisitErasure extends Schema<'VisitErasure'> {}

/** The result of `analytics.visits`. */
export interface VisitExport extends Schema<'VisitExport'> {}

/** The result of `webhooks.get`. */
export interface Webhook extends Schema<'Webhook'> {}

/** The body of `webhooks.create`. */
export interface WebhookCreateRequest extends WithDates<Schemas['WebhookCreateRequest']> {}

/** The result of `webhooks.create`. */
export interface WebhookCreated extends Schema<'WebhookCreated'> {}

export interface WebhookFilters extends Schema<'WebhookFilters'> {}

export interface WebhookFiltersRequest extends WithDates<Schemas['WebhookFiltersRequest']> {}

/** The result of `webhooks.list`. */
export interface WebhookPage extends Schema<'WebhookPage'> {}

/** The body of `webhooks.rotateSecret`. */
export interface WebhookRotateRequest extends WithDates<Schemas['WebhookRotateRequest']> {}

/** The result of `webhooks.rotateSecret`. */
export interface WebhookSecret extends Schema<'WebhookSecret'> {}

/** The result of `webhooks.stats`. */
export interface WebhookStats extends Schema<'WebhookStats'> {}

/** The body of `webhooks.test`. */
export interface WebhookTestRequest extends WithDates<Schemas['WebhookTestRequest']> {}

/** The fields to change; null clears an optional one. */
export interface WebhookUpdateRequest extends WithDates<Schemas['WebhookUpdateRequest']> {}

/** The query of `apiKeys.list`. */
export interface ApiKeyListQuery extends QueryOf<'GET /api/v1/api-keys'> {}

/** The query of `people.list`. */
export interface UserListQuery extends QueryOf<'GET /api/v1/people'> {}

/** The query of `audit`. */
export interface AuditQuery extends QueryOf<'GET /api/v1/audit'> {}

/** The query of `admin.audit`. */
export interface OperatorAuditQuery extends QueryOf<'GET /api/v1/admin/audit'> {}

/** The query of `urls.list`. */
export interface UrlListQuery extends QueryOf<'GET /api/v1/urls'> {}

/** The query of `urls.checkSlug`. */
export interface SlugCheckQuery extends QueryOf<'GET /api/v1/urls/slug'> {}

/** The query of `urls.testRules`. */
export interface RuleTestQuery extends QueryOf<'GET /api/v1/urls/{id}/rules/test'> {}

/** The query of `tags.list`. */
export interface TagListQuery extends QueryOf<'GET /api/v1/tags'> {}

/** The query of `qr.list`. */
export interface QrListQuery extends QueryOf<'GET /api/v1/qr'> {}

/** The query of `urls.qrs`. */
export interface UrlQrListQuery extends QueryOf<'GET /api/v1/urls/{id}/qr'> {}

/** The query of `urls.clicks`. */
export interface ClicksQuery extends QueryOf<'GET /api/v1/urls/{id}/clicks'> {}

/** The query of `analytics.overview`. */
export interface OverviewQuery extends QueryOf<'GET /api/v1/analytics/overview'> {}

/** The query of `analytics.visits`. */
export interface VisitExportQuery extends QueryOf<'GET /api/v1/visits'> {}

/** The query of `qr.scans`. */
export interface ScansQuery extends QueryOf<'GET /api/v1/qr/{id}/scans'> {}

/** The query of `webhooks.list`. */
export interface WebhookListQuery extends QueryOf<'GET /api/v1/webhooks'> {}

/** The query of `webhooks.deliveries`. */
export interface DeliveryListQuery extends QueryOf<'GET /api/v1/webhooks/{id}/deliveries'> {}

/** The query of `webhooks.stats`. */
export interface WebhookStatsQuery extends QueryOf<'GET /api/v1/webhooks/{id}/stats'> {}

/** The query of `events.list`. */
export interface EventListQuery extends QueryOf<'GET /api/v1/events'> {}

/** The query of `domains.list`. */
export interface DomainListQuery extends QueryOf<'GET /api/v1/domains'> {}

/** The query of `usage.get`. */
export interface UsageQuery extends QueryOf<'GET /api/v1/usage'> {}

/** The query of `admin.organizations.list`. */
export interface OrganizationListQuery extends QueryOf<'GET /api/v1/admin/organizations'> {}

/** The query of `admin.usage`. */
export interface OrganizationUsageQuery extends QueryOf<'GET /api/v1/admin/usage'> {}

/** The query of `admin.clients.list`. */
export interface ClientListQuery extends QueryOf<'GET /api/v1/admin/organizations/{id}/clients'> {}

/** The query of `admin.apiKeys.list`. */
export interface OrganizationApiKeyListQuery extends QueryOf<'GET /api/v1/admin/organizations/{id}/api-keys'> {}

/** The query of `admin.takedowns.list`. */
export interface TakedownListQuery extends QueryOf<'GET /api/v1/admin/takedowns'> {}

/** The query of `admin.blockedHosts.list`. */
export interface BlockedHostListQuery extends QueryOf<'GET /api/v1/admin/blocked-hosts'> {}
