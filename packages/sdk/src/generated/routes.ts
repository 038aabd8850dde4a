// Generated from openapi.yaml by `npm run generate`. Do not edit.

// The method and the path of each operation of the API, by its operationId.
export const createToken = 'POST /api/v1/auth/token';
export const createApiKey = 'POST /api/v1/api-keys';
export const listApiKeys = 'GET /api/v1/api-keys';
export const deleteApiKey = 'DELETE /api/v1/api-keys/{id}';
export const getMe = 'GET /api/v1/me';
export const getOwnOrganization = 'GET /api/v1/organization';
export const updateOwnOrganization = 'PATCH /api/v1/organization';
export const listAuditEntries = 'GET /api/v1/audit';
export const listAllAuditEntries = 'GET /api/v1/admin/audit';
export const createUrl = 'POST /api/v1/urls';
export const listUrls = 'GET /api/v1/urls';
export const exportUrls = 'GET /api/v1/urls/export';
export const bulkCreateUrls = 'POST /api/v1/urls/bulk';
export const bulkUpdateUrls = 'PATCH /api/v1/urls/bulk';
export const bulkDeleteUrls = 'DELETE /api/v1/urls/bulk';
export const lookupUrl = 'GET /api/v1/urls/lookup';
export const getUrl = 'GET /api/v1/urls/{id}';
export const updateUrl = 'PATCH /api/v1/urls/{id}';
export const deleteUrl = 'DELETE /api/v1/urls/{id}';
export const listTags = 'GET /api/v1/tags';
export const renameTag = 'PATCH /api/v1/tags/{tag}';
export const deleteTag = 'DELETE /api/v1/tags/{tag}';
export const createQr = 'POST /api/v1/qr';
export const listQrs = 'GET /api/v1/qr';
export const listUrlQrs = 'GET /api/v1/urls/{id}/qr';
export const getQr = 'GET /api/v1/qr/{id}';
export const updateQr = 'PATCH /api/v1/qr/{id}';
export const deleteQr = 'DELETE /api/v1/qr/{id}';
export const getUrlClicks = 'GET /api/v1/urls/{id}/clicks';
export const getAnalyticsOverview = 'GET /api/v1/analytics/overview';
export const exportVisits = 'GET /api/v1/visits';
export const getQrScans = 'GET /api/v1/qr/{id}/scans';
export const createWebhookStream = 'POST /api/v1/webhooks/streams';
export const reportOutcomes = 'POST /api/v1/webhooks/streams/{id}/outcomes';
export const createWebhook = 'POST /api/v1/webhooks';
export const listWebhooks = 'GET /api/v1/webhooks';
export const getWebhook = 'GET /api/v1/webhooks/{id}';
export const updateWebhook = 'PATCH /api/v1/webhooks/{id}';
export const deleteWebhook = 'DELETE /api/v1/webhooks/{id}';
export const testWebhook = 'POST /api/v1/webhooks/{id}/test';
export const rotateWebhookSecret = 'POST /api/v1/webhooks/{id}/rotate-secret';
export const listDeliveries = 'GET /api/v1/webhooks/{id}/deliveries';
export const getDelivery = 'GET /api/v1/webhooks/{id}/deliveries/{deliveryId}';
export const replayDelivery = 'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay';
export const createReplay = 'POST /api/v1/webhooks/{id}/replay';
export const listReplays = 'GET /api/v1/webhooks/{id}/replays';
export const getReplay = 'GET /api/v1/webhooks/{id}/replays/{replayId}';
export const cancelReplay = 'POST /api/v1/webhooks/{id}/replays/{replayId}/cancel';
export const getWebhookStats = 'GET /api/v1/webhooks/{id}/stats';
export const listEventTypes = 'GET /api/v1/event-types';
export const createDomain = 'POST /api/v1/domains';
export const listDomains = 'GET /api/v1/domains';
export const getDomain = 'GET /api/v1/domains/{id}';
export const deleteDomain = 'DELETE /api/v1/domains/{id}';
export const verifyDomain = 'POST /api/v1/domains/{id}/verify';
export const getUsage = 'GET /api/v1/usage';
export const createOrganization = 'POST /api/v1/admin/organizations';
export const listOrganizations = 'GET /api/v1/admin/organizations';
export const getOrganization = 'GET /api/v1/admin/organizations/{id}';
export const updateOrganization = 'PATCH /api/v1/admin/organizations/{id}';
export const deleteOrganization = 'DELETE /api/v1/admin/organizations/{id}';
export const listUsage = 'GET /api/v1/admin/usage';
export const createClient = 'POST /api/v1/admin/organizations/{id}/clients';
export const listClients = 'GET /api/v1/admin/organizations/{id}/clients';
export const updateClient = 'PATCH /api/v1/admin/organizations/{id}/clients/{clientId}';
export const revokeClient = 'DELETE /api/v1/admin/organizations/{id}/clients/{clientId}';
export const listOrganizationApiKeys = 'GET /api/v1/admin/organizations/{id}/api-keys';
export const updateOrganizationApiKey = 'PATCH /api/v1/admin/organizations/{id}/api-keys/{keyId}';
export const deleteOrganizationApiKey = 'DELETE /api/v1/admin/organizations/{id}/api-keys/{keyId}';
export const takeDownUrl = 'POST /api/v1/admin/takedowns';
export const listTakedowns = 'GET /api/v1/admin/takedowns';
export const undoTakedown = 'DELETE /api/v1/admin/takedowns/{id}';
export const blockHost = 'POST /api/v1/admin/blocked-hosts';
export const listBlockedHosts = 'GET /api/v1/admin/blocked-hosts';
export const unblockHost = 'DELETE /api/v1/admin/blocked-hosts/{host}';
export const downloadQr = 'GET /api/qr/{id}/download';

/** The version of this package. */
export const version = '0.1.0';

/** The error codes of each status. */
export interface ErrorCodes {
  400: 'VALIDATION_FAILED' | 'SLUG_RESERVED' | 'DOMAIN_INVALID';
  401: 'UNAUTHORIZED';
  402: 'QUOTA_EXCEEDED';
  403: 'PLAN_REQUIRED' | 'INSUFFICIENT_SCOPE' | 'ORGANIZATION_SUSPENDED';
  404: 'NOT_FOUND';
  409: 'SLUG_CONFLICT' | 'DOMAIN_CONFLICT' | 'SECRET_CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'REPLAY_CONFLICT';
  410: 'GONE';
  412: 'PRECONDITION_FAILED';
  413: 'PAYLOAD_TOO_LARGE';
  415: 'UNSUPPORTED_MEDIA_TYPE';
  429: 'RATE_LIMITED';
  500: 'INTERNAL';
  503: 'UNAVAILABLE';
}
