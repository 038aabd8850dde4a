// Generated from openapi.yaml by `npm run generate`. Do not edit.
import type { ApiPromise } from '../api-promise.js';
import type { ChangeOptions, RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type { QrImage } from '../read-response.js';
import type { Transport } from '../send-request.js';
import type {
  AnalyticsOverview,
  ApiKey,
  ApiKeyCreateRequest,
  ApiKeyCreated,
  ApiKeyListQuery,
  ApiKeyPage,
  AuditEntry,
  AuditPage,
  AuditQuery,
  BlockedHost,
  BlockedHostListQuery,
  BlockedHostPage,
  BlockedHostRequest,
  ClicksQuery,
  Client,
  ClientCreateRequest,
  ClientCreated,
  ClientListQuery,
  ClientPage,
  Delivery,
  DeliveryDetail,
  DeliveryListQuery,
  DeliveryPage,
  Domain,
  DomainCreateRequest,
  DomainListQuery,
  DomainPage,
  DomainUpdateRequest,
  EventListQuery,
  EventPage,
  EventTypePage,
  Invitation,
  InvitationAcceptRequest,
  Me,
  OperatorAuditQuery,
  Organization,
  OrganizationApiKeyListQuery,
  OrganizationCreateRequest,
  OrganizationCreated,
  OrganizationDeletion,
  OrganizationDeletionRequest,
  OrganizationListQuery,
  OrganizationPage,
  OrganizationUpdateRequest,
  OrganizationUsage,
  OrganizationUsagePage,
  OrganizationUsageQuery,
  OverviewQuery,
  OwnOrganization,
  OwnOrganizationUpdateRequest,
  PageMetadata,
  PasswordChangeRequest,
  QrCreateRequest,
  QrListQuery,
  QrPage,
  QrPreview,
  QrRecord,
  QrScans,
  QrUpdateRequest,
  RecoverRequest,
  Recovered,
  RuleTest,
  RuleTestQuery,
  ScansQuery,
  Session,
  SessionCreateRequest,
  SessionState,
  SlugCheck,
  SlugCheckQuery,
  Tag,
  TagChangeResult,
  TagListQuery,
  TagPage,
  TagRenameRequest,
  Takedown,
  TakedownListQuery,
  TakedownPage,
  TakedownRequest,
  UrlBulkCreateRequest,
  UrlBulkCreateResult,
  UrlBulkDeleteRequest,
  UrlBulkDeleteResult,
  UrlBulkUpdateRequest,
  UrlBulkUpdateResult,
  UrlClicks,
  UrlCreateRequest,
  UrlId,
  UrlListItem,
  UrlListQuery,
  UrlPage,
  UrlQrListQuery,
  UrlRecord,
  UrlUpdateRequest,
  UrlUpsertRequest,
  Usage,
  UsageQuery,
  User,
  UserInviteRequest,
  UserListQuery,
  UserPage,
  UserRoleRequest,
  VisitErasure,
  VisitExport,
  VisitExportQuery,
  Webhook,
  WebhookCreateRequest,
  WebhookCreated,
  WebhookListQuery,
  WebhookPage,
  WebhookRotateRequest,
  WebhookSecret,
  WebhookStats,
  WebhookStatsQuery,
  WebhookTestRequest,
  WebhookUpdateRequest,
} from '../types.js';

class Resource {
  declare protected readonly api: Transport;

  constructor(api: Transport) {
    this.api = api;
  }
}

/** Organizations: `shorty.admin.organizations`. */
export class AdminOrganizationsResource extends Resource {
  /**
   * Create an organization and its first client. The response contains the secret of the client,
   * which is shown only once. The client has every scope but urls:erase.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.organizations.create({ name: 'Acme Ltd', plan: 'scale' }));
   * ```
   */
  create(body: OrganizationCreateRequest, options?: RequestOptions): ApiPromise<OrganizationCreated> {
    return this.api.send('POST /api/v1/admin/organizations', { body }, options);
  }

  /**
   * List organizations, newest first. One page when awaited, all items when iterated.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.admin.organizations.list()) console.log(item);
   * ```
   */
  list(query: OrganizationListQuery = {}, options?: RequestOptions): PagedList<Organization, OrganizationPage> {
    return this.api.list('GET /api/v1/admin/organizations', { query }, options);
  }

  /**
   * Read an organization.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.organizations.get('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  get(id: string, options?: RequestOptions): ApiPromise<Organization> {
    return this.api.send('GET /api/v1/admin/organizations/{id}', { params: { id } }, options);
  }

  /**
   * Rename, suspend or resume an organization, or change its plan. A suspension takes effect before
   * the response on this node, and within a second on others.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.organizations.update('0198c0de-0000-7000-8000-0000000000aa', { name: 'Acme Ltd' }));
   * ```
   */
  update(id: string, body: OrganizationUpdateRequest, options?: RequestOptions): ApiPromise<Organization> {
    return this.api.send('PATCH /api/v1/admin/organizations/{id}', { params: { id }, body }, options);
  }

  /**
   * Delete an organization and everything that it has. Suspends the organization at once, and
   * deletes its rows in the background. It is listed, with `deletedAt`, until the last of them is
   * deleted, and cannot be resumed. Its short codes and slugs on the short domain are never given to
   * other links.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.organizations.delete('0198c0de-0000-7000-8000-0000000000aa', { confirm: 'Acme Ltd' }));
   * ```
   */
  delete(id: string, body: OrganizationDeletionRequest, options?: RequestOptions): ApiPromise<OrganizationDeletion> {
    return this.api.send('DELETE /api/v1/admin/organizations/{id}', { params: { id }, body }, options);
  }
}

/** API clients of organizations: `shorty.admin.clients`. */
export class AdminClientsResource extends Resource {
  /**
   * Create a client of an organization. The response contains the secret, which is shown only once.
   * An organization has at most 100 clients that are not revoked.
   *
   * Rejects with ValidationError, QuotaExceededError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.clients.create('0198c0de-0000-7000-8000-0000000000aa', { name: 'import job' }));
   * ```
   */
  create(id: string, body: ClientCreateRequest, options?: RequestOptions): ApiPromise<ClientCreated> {
    return this.api.send('POST /api/v1/admin/organizations/{id}/clients', { params: { id }, body }, options);
  }

  /**
   * List the clients of an organization, newest first. One page when awaited, all items when
   * iterated.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.admin.clients.list('0198c0de-0000-7000-8000-0000000000aa')) console.log(item);
   * ```
   */
  list(id: string, query: ClientListQuery = {}, options?: RequestOptions): PagedList<Client, ClientPage> {
    return this.api.list('GET /api/v1/admin/organizations/{id}/clients', { params: { id }, query }, options);
  }

  /**
   * Revoke a client and its access tokens. The next request with one of its tokens gets 401, on
   * every node.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.clients.revoke('0198c0de-0000-7000-8000-0000000000aa', 'shorty_ci_0f3b'));
   * ```
   */
  revoke(id: string, clientId: string, options?: RequestOptions): ApiPromise<Client> {
    return this.api.send('DELETE /api/v1/admin/organizations/{id}/clients/{clientId}', { params: { id, clientId } }, options);
  }
}

/** API keys of organizations: `shorty.admin.apiKeys`. */
export class AdminApiKeysResource extends Resource {
  /**
   * List the API keys of an organization, newest first. One page when awaited, all items when
   * iterated.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.admin.apiKeys.list('0198c0de-0000-7000-8000-0000000000aa')) console.log(item);
   * ```
   */
  list(id: string, query: OrganizationApiKeyListQuery = {}, options?: RequestOptions): PagedList<ApiKey, ApiKeyPage> {
    return this.api.list('GET /api/v1/admin/organizations/{id}/api-keys', { params: { id }, query }, options);
  }

  /**
   * Revoke an API key of an organization. The next request with the key gets 401, on every node.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.apiKeys.delete('0198c0de-0000-7000-8000-0000000000aa', '0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  delete(id: string, keyId: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.api.send('DELETE /api/v1/admin/organizations/{id}/api-keys/{keyId}', { params: { id, keyId } }, options);
  }
}

/** Links that the operator took down: `shorty.admin.takedowns`. */
export class AdminTakedownsResource extends Resource {
  /**
   * Take down a link of any organization by its short URL. Visitors get 451 before the response on
   * this node, and within a second on others. The owner sees the reason and cannot undo it. A
   * repetition changes the reason.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.takedowns.create({ shortUrl: 'https://sho.example/aB3xY9q', reason: 'phishing' }));
   * ```
   */
  create(body: TakedownRequest, options?: RequestOptions): ApiPromise<Takedown> {
    return this.api.send('POST /api/v1/admin/takedowns', { body }, options);
  }

  /**
   * List the links that are taken down, newest takedowns first. One page when awaited, all items
   * when iterated.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.admin.takedowns.list()) console.log(item);
   * ```
   */
  list(query: TakedownListQuery = {}, options?: RequestOptions): PagedList<Takedown, TakedownPage> {
    return this.api.list('GET /api/v1/admin/takedowns', { query }, options);
  }

  /**
   * Undo the takedown of a link.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.takedowns.delete('42'));
   * ```
   */
  delete(id: UrlId, options?: RequestOptions): ApiPromise<Takedown> {
    return this.api.send('DELETE /api/v1/admin/takedowns/{id}', { params: { id } }, options);
  }
}

/** Hosts to which no link may lead: `shorty.admin.blockedHosts`. */
export class AdminBlockedHostsResource extends Resource {
  /**
   * Block a host and its subdomains as targets of links. Links to the host cannot be created, and
   * links cannot be changed to lead there. Existing ones answer 451. At most 10000 hosts are
   * blocked. A repetition changes the reason.
   *
   * Rejects with ValidationError, QuotaExceededError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.blockedHosts.create({ host: 'evil.example', reason: 'phishing' }));
   * ```
   */
  create(body: BlockedHostRequest, options?: RequestOptions): ApiPromise<BlockedHost> {
    return this.api.send('POST /api/v1/admin/blocked-hosts', { body }, options);
  }

  /**
   * List blocked hosts, newest first. One page when awaited, all items when iterated.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.admin.blockedHosts.list()) console.log(item);
   * ```
   */
  list(query: BlockedHostListQuery = {}, options?: RequestOptions): PagedList<BlockedHost, BlockedHostPage> {
    return this.api.list('GET /api/v1/admin/blocked-hosts', { query }, options);
  }

  /**
   * Unblock a host.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.admin.blockedHosts.delete('evil.example'));
   * ```
   */
  delete(host: string, options?: RequestOptions): ApiPromise<BlockedHost> {
    return this.api.send('DELETE /api/v1/admin/blocked-hosts/{host}', { params: { host } }, options);
  }
}

/** API keys of the organization: `shorty.apiKeys`. */
export class ApiKeysResource extends Resource {
  /**
   * Create an API key. A key is a token that lasts until it expires or is deleted. An organization
   * has at most 100 keys. Only a client with the scope keys:write, or an owner who is signed in, can
   * create, list and delete keys. A key that is restricted by domainId or onlyOwnLinks reads and
   * writes only these links, their tags, QR codes and clicks; other links are missing (404), and
   * other routes refuse it with INSUFFICIENT_SCOPE. Its new links are on its domain by default.
   * Needs the scope keys:write.
   *
   * Rejects with ValidationError (DOMAIN_INVALID), QuotaExceededError, PermissionError
   * (CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.apiKeys.create({ name: 'deploy script' }));
   * ```
   */
  create(body: ApiKeyCreateRequest, options?: RequestOptions): ApiPromise<ApiKeyCreated> {
    return this.api.send('POST /api/v1/api-keys', { body }, options);
  }

  /**
   * List API keys, newest first. One page when awaited, all items when iterated. Needs the scope
   * keys:write.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.apiKeys.list()) console.log(item);
   * ```
   */
  list(query: ApiKeyListQuery = {}, options?: RequestOptions): PagedList<ApiKey, ApiKeyPage> {
    return this.api.list('GET /api/v1/api-keys', { query }, options);
  }

  /**
   * Revoke an API key. The next request with the key gets 401, on every node. Needs the scope
   * keys:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.apiKeys.delete('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  delete(id: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.api.send('DELETE /api/v1/api-keys/{id}', { params: { id } }, options);
  }
}

/** The settings of the organization: `shorty.organization`. */
export class OrganizationResource extends Resource {
  /**
   * Read the settings of the caller's organization. Needs the scope urls:read or analytics:read.
   *
   * @example
   * ```ts
   * console.log(await shorty.organization.get());
   * ```
   */
  get(options?: RequestOptions): ApiPromise<OwnOrganization> {
    return this.api.send('GET /api/v1/organization', {}, options);
  }

  /**
   * Change the settings of the caller's organization. Takes effect before the response on this node,
   * and within a second on others. Visits that are already stored do not change. Needs the scope
   * urls:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.organization.update({ excludeAddresses: ['203.0.113.0/24', '2001:db8:1::/48'] }));
   * ```
   */
  update(body: OwnOrganizationUpdateRequest, options?: RequestOptions): ApiPromise<OwnOrganization> {
    return this.api.send('PATCH /api/v1/organization', { body }, options);
  }
}

/** The people of the organization: `shorty.people`. */
export class PeopleResource extends Resource {
  /**
   * Invite a person to the organization. No mail is sent: pass the link of the response on. An
   * address belongs to one person on a server. An organization has at most 1000 people. Needs the
   * scope people:write.
   *
   * Rejects with ValidationError, QuotaExceededError, PermissionError (CROSS_ORIGIN), ConflictError
   * (EMAIL_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.people.invite({ email: 'ada@example.com', role: 'owner' }));
   * ```
   */
  invite(body: UserInviteRequest, options?: RequestOptions): ApiPromise<Invitation> {
    return this.api.send('POST /api/v1/people', { body }, options);
  }

  /**
   * List the people of the organization, newest first. One page when awaited, all items when
   * iterated. Needs the scope people:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.people.list()) console.log(item);
   * ```
   */
  list(query: UserListQuery = {}, options?: RequestOptions): PagedList<User, UserPage> {
    return this.api.list('GET /api/v1/people', { query }, options);
  }

  /**
   * Change the role of a person. Ends the sessions of the person. The last owner keeps the role.
   * Needs the scope people:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError
   * (LAST_OWNER).
   *
   * @example
   * ```ts
   * console.log(await shorty.people.changeRole('0198c0de-0000-7000-8000-0000000000aa', { role: 'owner' }));
   * ```
   */
  changeRole(id: string, body: UserRoleRequest, options?: RequestOptions): ApiPromise<User> {
    return this.api.send('PUT /api/v1/people/{id}/role', { params: { id }, body }, options);
  }

  /**
   * Remove a person from the organization. Ends the sessions of the person. The last owner cannot be
   * removed. Needs the scope people:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError
   * (LAST_OWNER).
   *
   * @example
   * ```ts
   * console.log(await shorty.people.delete('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  delete(id: string, options?: RequestOptions): ApiPromise<User> {
    return this.api.send('DELETE /api/v1/people/{id}', { params: { id } }, options);
  }

  /**
   * Make a new link by which a person sets a password. Replaces the link before. The sessions of the
   * person end when it is used. Needs the scope people:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.people.resetPassword('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  resetPassword(id: string, options?: RequestOptions): ApiPromise<Invitation> {
    return this.api.send('POST /api/v1/people/{id}/invitation', { params: { id } }, options);
  }
}

/** The session of a person in a browser: `shorty.session`. */
export class SessionResource extends Resource {
  /**
   * Set a password by the token of a link, and sign in. Uses the link up, and ends the other
   * sessions of the person.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), ConflictError (EMAIL_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.session.acceptInvitation({ token: 'shorty_in_4fQZ', password: 'correct horse battery' }));
   * ```
   */
  acceptInvitation(body: InvitationAcceptRequest, options?: RequestOptions): ApiPromise<Session> {
    return this.api.send('POST /api/v1/session/invitation', { body }, options);
  }

  /**
   * Read whether the browser is signed in.
   *
   * @example
   * ```ts
   * console.log(await shorty.session.get());
   * ```
   */
  get(options?: RequestOptions): ApiPromise<SessionState> {
    return this.api.send('GET /api/v1/session', {}, options);
  }

  /**
   * Sign in with an address and a password. The cookie of the response is for browsers: it lasts 30
   * days, and is accepted where a token is. Failed attempts are limited per address of the person
   * and of the network.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.session.create({ email: 'ada@example.com', password: 'correct horse battery' }));
   * ```
   */
  create(body: SessionCreateRequest, options?: RequestOptions): ApiPromise<Session> {
    return this.api.send('POST /api/v1/session', { body }, options);
  }

  /**
   * Sign out. Ends the session of the cookie.
   *
   * Rejects with PermissionError (CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.session.delete());
   * ```
   */
  delete(options?: RequestOptions): ApiPromise<Session> {
    return this.api.send('DELETE /api/v1/session', {}, options);
  }

  /**
   * Change the password of the person who is signed in. Ends all sessions of the person, and starts
   * a new one.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.session.changePassword({ currentPassword: 'correct horse battery', newPassword: 'correct horse battery' }));
   * ```
   */
  changePassword(body: PasswordChangeRequest, options?: RequestOptions): ApiPromise<Session> {
    return this.api.send('PUT /api/v1/session/password', { body }, options);
  }
}

/** Short links: `shorty.urls`. */
export class GeneratedUrlsResource extends Resource {
  /**
   * Read the title and the picture of a page. The server requests the page now, for at most 5
   * seconds, and reads its first 256 KB: the tags of Open Graph, then those of Twitter, then the
   * title. It reaches public addresses only. Needs the scope urls:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.metadata('https://example.com/spring?ref=mail#offers'));
   * ```
   */
  metadata(url: string, options?: RequestOptions): ApiPromise<PageMetadata> {
    return this.api.send('GET /api/v1/urls/metadata', { query: { url } }, options);
  }

  /**
   * Create a short link. Needs the scope urls:write.
   *
   * Rejects with ValidationError (SLUG_RESERVED, DOMAIN_INVALID), QuotaExceededError,
   * PermissionError (CROSS_ORIGIN), ConflictError (SLUG_CONFLICT, EXTERNAL_ID_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.create({ targetUrl: 'https://example.com/spring?ref=mail#offers' }));
   * ```
   */
  create(body: UrlCreateRequest, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('POST /api/v1/urls', { body }, options);
  }

  /**
   * List short links, by default newest first. One page when awaited, all items when iterated. Needs
   * the scope urls:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.urls.list()) console.log(item);
   * ```
   */
  list(query: UrlListQuery = {}, options?: RequestOptions): PagedList<UrlRecord | UrlListItem, UrlPage> {
    return this.api.list('GET /api/v1/urls', { query }, options);
  }

  /**
   * Create up to 100 short links. Each item succeeds or fails by itself; nothing is rolled back. 207
   * when every item fails. Needs the scope urls:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.bulkCreateChunk({ urls: [{ targetUrl: 'https://example.com/spring?ref=mail#offers' }] }));
   * ```
   */
  bulkCreateChunk(body: UrlBulkCreateRequest, options?: RequestOptions): ApiPromise<UrlBulkCreateResult> {
    return this.api.send('POST /api/v1/urls/bulk', { body }, options);
  }

  /**
   * Change up to 100 short links. Each item succeeds or fails by itself. 207 when every item fails.
   * Needs the scope urls:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.bulkUpdateChunk({ updates: [{ id: 42 }] }));
   * ```
   */
  bulkUpdateChunk(body: UrlBulkUpdateRequest, options?: RequestOptions): ApiPromise<UrlBulkUpdateResult> {
    return this.api.send('PATCH /api/v1/urls/bulk', { body }, options);
  }

  /**
   * Delete up to 100 short links. Send the ids in the query or in the body, not in both. Ids that do
   * not exist, and elements that are no id, are skipped. Needs the scope urls:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.bulkDeleteChunk({ ids: [42] }));
   * ```
   */
  bulkDeleteChunk(body: UrlBulkDeleteRequest, options?: RequestOptions): ApiPromise<UrlBulkDeleteResult> {
    return this.api.send('DELETE /api/v1/urls/bulk', { body }, options);
  }

  /**
   * Find a short link by its short URL, slug or code. Needs the scope urls:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.lookup('https://sho.example/spring-sale'));
   * ```
   */
  lookup(shortUrl: string, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('GET /api/v1/urls/lookup', { query: { shortUrl } }, options);
  }

  /**
   * Check whether a custom slug may be taken. Reserves nothing: another link may take the slug
   * before the next request. Needs the scope urls:read.
   *
   * Rejects with ValidationError (DOMAIN_INVALID).
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.checkSlug({ slug: 'spring-sale' }));
   * ```
   */
  checkSlug(query: SlugCheckQuery, options?: RequestOptions): ApiPromise<SlugCheck> {
    return this.api.send('GET /api/v1/urls/slug', { query }, options);
  }

  /**
   * Read the short link that has an external id. Needs the scope urls:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.getByExternalId('order-1001'));
   * ```
   */
  getByExternalId(externalId: string, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('GET /api/v1/urls/by-external-id/{externalId}', { params: { externalId } }, options);
  }

  /**
   * Create a short link with an external id, or change the link that has it. The same request can be
   * repeated at any time: it creates one link, and then changes nothing. A paused or deleted link
   * stays so unless isActive is true. Needs the scope urls:write.
   *
   * Rejects with ValidationError (SLUG_RESERVED, DOMAIN_INVALID), QuotaExceededError,
   * PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError (SLUG_CONFLICT,
   * EXTERNAL_ID_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.upsert('order-1001', { targetUrl: 'https://example.com/spring?ref=mail#offers' }));
   * ```
   */
  upsert(externalId: string, body: UrlUpsertRequest, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('PUT /api/v1/urls/by-external-id/{externalId}', { params: { externalId }, body }, options);
  }

  /**
   * Read a short link. Needs the scope urls:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.get('42'));
   * ```
   */
  get(id: UrlId, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('GET /api/v1/urls/{id}', { params: { id } }, options);
  }

  /**
   * Change, pause or resume a short link. Needs the scope urls:write.
   *
   * Rejects with ValidationError (DOMAIN_INVALID), QuotaExceededError, PermissionError
   * (CROSS_ORIGIN), NotFoundError, ConflictError (SLUG_CONFLICT, EXTERNAL_ID_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.update('42', { targetUrl: 'https://example.com/spring?ref=mail#offers' }));
   * ```
   */
  update(id: UrlId, body: UrlUpdateRequest, options?: ChangeOptions): ApiPromise<UrlRecord> {
    return this.api.send('PATCH /api/v1/urls/{id}', { params: { id }, body }, options);
  }

  /**
   * Delete a short link. The link answers 410 from now on. Its record stays readable, with the time
   * of the deletion, and can be restored. Needs the scope urls:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.delete('42'));
   * ```
   */
  delete(id: UrlId, options?: ChangeOptions): ApiPromise<UrlRecord> {
    return this.api.send('DELETE /api/v1/urls/{id}', { params: { id } }, options);
  }

  /**
   * Restore a deleted short link. The same as a PATCH that sets isActive to true. Needs the scope
   * urls:write.
   *
   * Rejects with ValidationError (DOMAIN_INVALID), QuotaExceededError, PermissionError
   * (CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.restore('42'));
   * ```
   */
  restore(id: UrlId, options?: RequestOptions): ApiPromise<UrlRecord> {
    return this.api.send('POST /api/v1/urls/{id}/restore', { params: { id } }, options);
  }

  /**
   * Test where the rules of a link lead a visit. Evaluates the rules of the link for a visit with
   * these properties, by the code that redirects. Counts no visit, and ignores whether the link is
   * active. Needs the scope urls:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.testRules('42'));
   * ```
   */
  testRules(id: UrlId, query: RuleTestQuery = {}, options?: RequestOptions): ApiPromise<RuleTest> {
    return this.api.send('GET /api/v1/urls/{id}/rules/test', { params: { id }, query }, options);
  }

  /**
   * List the QR codes of a URL, newest first. One page when awaited, all items when iterated. Needs
   * the scope qr:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.urls.qrs('42')) console.log(item);
   * ```
   */
  qrs(id: UrlId, query: UrlQrListQuery = {}, options?: RequestOptions): PagedList<QrRecord, QrPage> {
    return this.api.list('GET /api/v1/urls/{id}/qr', { params: { id }, query }, options);
  }

  /**
   * Read the clicks of a URL. Clicks of people. Bots, link previews, prefetches and HEAD requests do
   * not count. The time series includes buckets without clicks. Needs the scope urls:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.clicks('42'));
   * ```
   */
  clicks(id: UrlId, query: ClicksQuery = {}, options?: RequestOptions): ApiPromise<UrlClicks> {
    return this.api.send('GET /api/v1/urls/{id}/clicks', { params: { id }, query }, options);
  }

  /**
   * Erase the visits of a URL. Deletes all visits until now. Nothing can restore them. clickCount
   * and scanCount then count later visits only. The link, its QR codes and the usage of the
   * organization do not change. Visits whose journal is not read yet are erased, too. Not erased:
   * backups, and events that were recorded for webhooks. The response is sent after the last visit
   * is deleted. A 503 means that it takes longer and continues: the same request with the same
   * Idempotency-Key waits for it. If stored visits cannot be read, it names their row, which the
   * operator must repair or delete. Needs the scope keys:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.urls.eraseVisits('42'));
   * ```
   */
  eraseVisits(id: UrlId, options?: RequestOptions): ApiPromise<VisitErasure> {
    return this.api.send('DELETE /api/v1/urls/{id}/visits', { params: { id } }, options);
  }
}

/** Tags of links. A tag exists while a link has it: `shorty.tags`. */
export class TagsResource extends Resource {
  /**
   * List tags with their number of links. One page when awaited, all items when iterated. Needs the
   * scope urls:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.tags.list()) console.log(item);
   * ```
   */
  list(query: TagListQuery = {}, options?: RequestOptions): PagedList<Tag, TagPage> {
    return this.api.list('GET /api/v1/tags', { query }, options);
  }

  /**
   * Rename a tag on every link. A name that is already a tag merges the two. Changes updatedAt and
   * ETag of the links, and sends no url.updated. A link that gets the tag during the request may
   * retain it. Needs the scope urls:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.tags.rename('launch', { name: 'campaign' }));
   * ```
   */
  rename(tag: string, body: TagRenameRequest, options?: RequestOptions): ApiPromise<TagChangeResult> {
    return this.api.send('PATCH /api/v1/tags/{tag}', { params: { tag }, body }, options);
  }

  /**
   * Remove a tag from every link. The links stay. Changes updatedAt and ETag of the links, and sends
   * no url.updated. A link that gets the tag during the request may retain it. Needs the scope
   * urls:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.tags.delete('launch'));
   * ```
   */
  delete(tag: string, options?: RequestOptions): ApiPromise<TagChangeResult> {
    return this.api.send('DELETE /api/v1/tags/{tag}', { params: { tag } }, options);
  }
}

/** QR codes of links and texts: `shorty.qr`. */
export class QrResource extends Resource {
  /**
   * Create a QR code. The server draws the image and decodes it before it stores the code. A code
   * that does not decode is refused with the reason and an alternative. Needs the scope qr:write.
   *
   * Rejects with ValidationError, QuotaExceededError, PermissionError (CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.qr.create({ data: 'WIFI:T:WPA;S:Guests;P:open sesame;;' }));
   * ```
   */
  create(body: QrCreateRequest, options?: RequestOptions): ApiPromise<QrRecord> {
    return this.api.send('POST /api/v1/qr', { body }, options);
  }

  /**
   * List QR codes, newest first. One page when awaited, all items when iterated. Needs the scope
   * qr:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.qr.list()) console.log(item);
   * ```
   */
  list(query: QrListQuery = {}, options?: RequestOptions): PagedList<QrRecord, QrPage> {
    return this.api.list('GET /api/v1/qr', { query }, options);
  }

  /**
   * Draw a QR code without creating it. Draws and decodes the image as a create does, and stores
   * nothing: it is not charged, and its scans are not counted. Needs the scope qr:read.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.qr.preview({ data: 'WIFI:T:WPA;S:Guests;P:open sesame;;' }));
   * ```
   */
  preview(body: QrCreateRequest, options?: RequestOptions): ApiPromise<QrPreview> {
    return this.api.send('POST /api/v1/qr/preview', { body }, options);
  }

  /**
   * Read a QR code. Needs the scope qr:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.qr.get('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  get(id: string, options?: RequestOptions): ApiPromise<QrRecord> {
    return this.api.send('GET /api/v1/qr/{id}', { params: { id } }, options);
  }

  /**
   * Change how a QR code looks. The server draws the image and decodes it before it stores the code.
   * A code that does not decode is refused with the reason and an alternative. Not charged. Needs
   * the scope qr:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError.
   *
   * @example
   * ```ts
   * console.log(await shorty.qr.update('0198c0de-0000-7000-8000-0000000000aa', { size: 512 }));
   * ```
   */
  update(id: string, body: QrUpdateRequest, options?: ChangeOptions): ApiPromise<QrRecord> {
    return this.api.send('PATCH /api/v1/qr/{id}', { params: { id }, body }, options);
  }

  /**
   * Delete a QR code. Its image and preview answer with 410 from now on, and its scans are no longer
   * counted. Printed copies still lead to its URL. Not charged. Needs the scope qr:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError.
   *
   * @example
   * ```ts
   * console.log(await shorty.qr.delete('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  delete(id: string, options?: ChangeOptions): ApiPromise<QrRecord> {
    return this.api.send('DELETE /api/v1/qr/{id}', { params: { id } }, options);
  }

  /**
   * Read the scans of a QR code. Visits of people who scanned the QR code, from its creation to its
   * deletion. A deleted QR code still has a report. All QR codes of one URL contain the same text,
   * so each of them reports the scans of all. Downloads and previews are not scans. Needs the scope
   * qr:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.qr.scans('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  scans(id: string, query: ScansQuery = {}, options?: RequestOptions): ApiPromise<QrScans> {
    return this.api.send('GET /api/v1/qr/{id}/scans', { params: { id }, query }, options);
  }

  /**
   * Download the image of a QR code. The image in the format of the code, without authentication.
   * Each 200 response to GET counts in downloadCount, except with preview=1; HEAD and 304 do not.
   * With `Accept: text/html`, errors are pages.
   *
   * Rejects with NotFoundError, GoneError.
   *
   * @example
   * ```ts
   * console.log(await shorty.qr.download('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  download(id: string, options?: RequestOptions): ApiPromise<QrImage> {
    return this.api.send('GET /api/qr/{id}/download', { params: { id } }, options);
  }
}

/** Reports on all links: `shorty.analytics`. */
export class GeneratedAnalyticsResource extends Resource {
  /**
   * Read the clicks of all of the organization's URLs. The clicks of all URLs together, and the URLs
   * with the most clicks. Needs the scope analytics:read or urls:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * console.log(await shorty.analytics.overview());
   * ```
   */
  overview(query: OverviewQuery = {}, options?: RequestOptions): ApiPromise<AnalyticsOverview> {
    return this.api.send('GET /api/v1/analytics/overview', { query }, options);
  }

  /**
   * Export the visits of people as NDJSON. Pages of up to 5000 visits, oldest first. Send nextAfter
   * as after until it is null, with the same filters, and with since and until, whose defaults move.
   * The lines with a value are as many as a report counts for it. Needs the scope analytics:read or
   * urls:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * console.log(await shorty.analytics.visits());
   * ```
   */
  visits(query: VisitExportQuery = {}, options?: RequestOptions): ApiPromise<VisitExport> {
    return this.api.send('GET /api/v1/visits', { query }, options);
  }
}

/** Webhooks and their deliveries: `shorty.webhooks`. */
export class WebhooksResource extends Resource {
  /**
   * Subscribe a receiver to events. An organization has at most 50 webhooks. Only this response
   * contains the secret. Needs the scope webhooks:write.
   *
   * Rejects with ValidationError, QuotaExceededError, PermissionError (PLAN_REQUIRED, CROSS_ORIGIN).
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.create({ url: 'https://example.com/hooks/shorty', events: ['url.created', 'url.click_threshold'] }));
   * ```
   */
  create(body: WebhookCreateRequest, options?: RequestOptions): ApiPromise<WebhookCreated> {
    return this.api.send('POST /api/v1/webhooks', { body }, options);
  }

  /**
   * List webhooks, newest first. One page when awaited, all items when iterated. Needs the scope
   * webhooks:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.webhooks.list()) console.log(item);
   * ```
   */
  list(query: WebhookListQuery = {}, options?: RequestOptions): PagedList<Webhook, WebhookPage> {
    return this.api.list('GET /api/v1/webhooks', { query }, options);
  }

  /**
   * Read a webhook. Needs the scope webhooks:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.get('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  get(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.api.send('GET /api/v1/webhooks/{id}', { params: { id } }, options);
  }

  /**
   * Change, pause or resume a webhook. All later attempts use the changed URL and headers. A URL of
   * another origin needs the headers again, because their values are secrets. Pending deliveries
   * that the changed `events` or `filters` exclude fail, with the reason in `lastError`. `isActive:
   * true` also activates a webhook that the server has disabled. Its pending deliveries continue
   * with their number of attempts and their due times. Needs the scope webhooks:write.
   *
   * Rejects with ValidationError, PermissionError (PLAN_REQUIRED, CROSS_ORIGIN), NotFoundError,
   * ConflictError.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.update('0198c0de-0000-7000-8000-0000000000aa', { url: 'https://example.com/hooks/shorty' }));
   * ```
   */
  update(id: string, body: WebhookUpdateRequest, options?: ChangeOptions): ApiPromise<Webhook> {
    return this.api.send('PATCH /api/v1/webhooks/{id}', { params: { id }, body }, options);
  }

  /**
   * Delete a webhook. Also deletes its deliveries. Pending deliveries are not sent. Needs the scope
   * webhooks:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.delete('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  delete(id: string, options?: ChangeOptions): ApiPromise<Webhook> {
    return this.api.send('DELETE /api/v1/webhooks/{id}', { params: { id } }, options);
  }

  /**
   * Send an example event. Sends the example of an event type to this webhook only, even if the
   * webhook does not subscribe to the type. Failed attempts are retried as for every delivery. Needs
   * the scope webhooks:write.
   *
   * Rejects with ValidationError, PermissionError (PLAN_REQUIRED, CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.test('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  test(id: string, body?: WebhookTestRequest, options?: RequestOptions): ApiPromise<Delivery> {
    return this.api.send('POST /api/v1/webhooks/{id}/test', { params: { id }, body }, options);
  }

  /**
   * Replace the signing secret. While old secrets live, X-Service-Signature is by the oldest of
   * them, X-Service-Signature-Next by the new secret, and webhook-signature by all. SECRET_CONFLICT:
   * the webhook has two live secrets already. Needs the scope webhooks:write.
   *
   * Rejects with ValidationError, PermissionError (PLAN_REQUIRED, CROSS_ORIGIN), NotFoundError,
   * ConflictError (SECRET_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.rotateSecret('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  rotateSecret(id: string, body?: WebhookRotateRequest, options?: RequestOptions): ApiPromise<WebhookSecret> {
    return this.api.send('POST /api/v1/webhooks/{id}/rotate-secret', { params: { id }, body }, options);
  }

  /**
   * List a webhook's deliveries, newest first. One page when awaited, all items when iterated. Needs
   * the scope webhooks:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.webhooks.deliveries('0198c0de-0000-7000-8000-0000000000aa')) console.log(item);
   * ```
   */
  deliveries(id: string, query: DeliveryListQuery = {}, options?: RequestOptions): PagedList<Delivery, DeliveryPage> {
    return this.api.list('GET /api/v1/webhooks/{id}/deliveries', { params: { id }, query }, options);
  }

  /**
   * Read a delivery with its attempts. Needs the scope webhooks:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.delivery('0198c0de-0000-7000-8000-0000000000aa', '0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  delivery(id: string, deliveryId: string, options?: RequestOptions): ApiPromise<DeliveryDetail> {
    return this.api.send('GET /api/v1/webhooks/{id}/deliveries/{deliveryId}', { params: { id, deliveryId } }, options);
  }

  /**
   * Deliver an event again. Creates a new delivery of the same event, with a new id and the same
   * body. Available in the plans scale and enterprise. Needs the scope webhooks:write.
   *
   * Rejects with ValidationError, PermissionError (PLAN_REQUIRED, CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.replay('0198c0de-0000-7000-8000-0000000000aa', '0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  replay(id: string, deliveryId: string, options?: RequestOptions): ApiPromise<Delivery> {
    return this.api.send('POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay', { params: { id, deliveryId } }, options);
  }

  /**
   * Deliver failed events again. Creates a new delivery of each event whose latest delivery to the
   * webhook failed in the time range, oldest first, at most 1000. Repeat the request while hasMore
   * is true. Available in the plans scale and enterprise. Needs the scope webhooks:write.
   *
   * Rejects with ValidationError, PermissionError (PLAN_REQUIRED, CROSS_ORIGIN), NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.recover('0198c0de-0000-7000-8000-0000000000aa', { since: '2030-12-31T23:59:59Z' }));
   * ```
   */
  recover(id: string, body: RecoverRequest, options?: RequestOptions): ApiPromise<Recovered> {
    return this.api.send('POST /api/v1/webhooks/{id}/recover', { params: { id }, body }, options);
  }

  /**
   * Read the statistics of a webhook's attempts. The attempts of the stored deliveries that were
   * created in the window, test events and replays included. Deliveries are stored for 30 days, and
   * delivered `url.clicked` for one. Needs the scope webhooks:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.stats('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  stats(id: string, query: WebhookStatsQuery = {}, options?: RequestOptions): ApiPromise<WebhookStats> {
    return this.api.send('GET /api/v1/webhooks/{id}/stats', { params: { id }, query }, options);
  }

  /**
   * List all event types with their JSON schemas. The list has no pages, because it has only the
   * types that this server knows. Needs the scope webhooks:read.
   *
   * @example
   * ```ts
   * console.log(await shorty.webhooks.eventTypes());
   * ```
   */
  eventTypes(options?: RequestOptions): ApiPromise<EventTypePage> {
    return this.api.send('GET /api/v1/event-types', {}, options);
  }
}

/** The events of the organization: `shorty.events`. */
export class EventsResource extends Resource {
  /**
   * List the events of the organization. Oldest first, in the order of their commits: an event is
   * listed only after every event before it, so a reader that continues with nextAfter misses none.
   * Each event is listed for 30 days, whether or not a webhook subscribes to it. `url.clicked` is
   * written while a webhook names it, once for each, and is listed for at least a day. Test events
   * are not listed. Needs the scope webhooks:read.
   *
   * Rejects with ValidationError, PermissionError (PLAN_REQUIRED).
   *
   * @example
   * ```ts
   * console.log(await shorty.events.list());
   * ```
   */
  list(query: EventListQuery = {}, options?: RequestOptions): ApiPromise<EventPage> {
    return this.api.send('GET /api/v1/events', { query }, options);
  }
}

/** Custom domains of links: `shorty.domains`. */
export class GeneratedDomainsResource extends Resource {
  /**
   * Add a custom domain. Returns the TXT record to set before the domain is verified. An
   * organization has at most 1000 domains. Needs the scope domains:write.
   *
   * Rejects with ValidationError (DOMAIN_INVALID), QuotaExceededError, PermissionError
   * (CROSS_ORIGIN), ConflictError (DOMAIN_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.domains.create({ hostname: 'go.example.com' }));
   * ```
   */
  create(body: DomainCreateRequest, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.send('POST /api/v1/domains', { body }, options);
  }

  /**
   * List custom domains, newest first. One page when awaited, all items when iterated. Needs the
   * scope domains:read.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.domains.list()) console.log(item);
   * ```
   */
  list(query: DomainListQuery = {}, options?: RequestOptions): PagedList<Domain, DomainPage> {
    return this.api.list('GET /api/v1/domains', { query }, options);
  }

  /**
   * Read a custom domain. Needs the scope domains:read.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * console.log(await shorty.domains.get('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  get(id: string, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.send('GET /api/v1/domains/{id}', { params: { id } }, options);
  }

  /**
   * Change the settings of a custom domain. Visitors see the change at once. A pending domain keeps
   * its settings. Needs the scope domains:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError.
   *
   * @example
   * ```ts
   * console.log(await shorty.domains.update('0198c0de-0000-7000-8000-0000000000aa', { rootUrl: 'https://www.example.com/' }));
   * ```
   */
  update(id: string, body: DomainUpdateRequest, options?: ChangeOptions): ApiPromise<Domain> {
    return this.api.send('PATCH /api/v1/domains/{id}', { params: { id }, body }, options);
  }

  /**
   * Delete a custom domain. DOMAIN_CONFLICT: the domain has active links. Its paused and deleted
   * links stay as they are, and can be resumed once the domain is added and verified again. Needs
   * the scope domains:write.
   *
   * Rejects with ValidationError, PermissionError (CROSS_ORIGIN), NotFoundError, ConflictError
   * (DOMAIN_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.domains.delete('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  delete(id: string, options?: ChangeOptions): ApiPromise<Domain> {
    return this.api.send('DELETE /api/v1/domains/{id}', { params: { id } }, options);
  }

  /**
   * Look up the TXT record and activate the domain. An active domain is returned without a look-up,
   * so its TXT record may be removed. DOMAIN_INVALID: DNS does not have this record; the message
   * quotes the records that it has. DOMAIN_CONFLICT: the hostname is active in another organization.
   * Needs the scope domains:write.
   *
   * Rejects with ValidationError (DOMAIN_INVALID), PermissionError (CROSS_ORIGIN), NotFoundError,
   * ConflictError (DOMAIN_CONFLICT).
   *
   * @example
   * ```ts
   * console.log(await shorty.domains.verify('0198c0de-0000-7000-8000-0000000000aa'));
   * ```
   */
  verify(id: string, options?: RequestOptions): ApiPromise<Domain> {
    return this.api.send('POST /api/v1/domains/{id}/verify', { params: { id } }, options);
  }
}

/** The usage of the organization: `shorty.usage`. */
export class UsageResource extends Resource {
  /**
   * Read the organization's use in a month, and what its plan includes. Each use is counted exactly
   * once. `api_call` is up to date within half a second, the other meters at once.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * console.log(await shorty.usage.get());
   * ```
   */
  get(query: UsageQuery = {}, options?: RequestOptions): ApiPromise<Usage> {
    return this.api.send('GET /api/v1/usage', { query }, options);
  }
}

/** All organizations of a server. The option `apiKey` is the operator key: `shorty.admin`. */
export class AdminResource extends Resource {
  declare readonly organizations: AdminOrganizationsResource;
  declare readonly clients: AdminClientsResource;
  declare readonly apiKeys: AdminApiKeysResource;
  declare readonly takedowns: AdminTakedownsResource;
  declare readonly blockedHosts: AdminBlockedHostsResource;

  constructor(api: Transport) {
    super(api);
    this.organizations = new AdminOrganizationsResource(api);
    this.clients = new AdminClientsResource(api);
    this.apiKeys = new AdminApiKeysResource(api);
    this.takedowns = new AdminTakedownsResource(api);
    this.blockedHosts = new AdminBlockedHostsResource(api);
  }

  /**
   * List who changed records of all organizations, newest first. Each accepted write makes one
   * entry, which is not changed after the response. The setting `SHORTY_AUDIT_RETENTION_DAYS` limits
   * how long entries are retained. An entry has no values, only names of fields. One page when
   * awaited, all items when iterated.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.admin.audit()) console.log(item);
   * ```
   */
  audit(query: OperatorAuditQuery = {}, options?: RequestOptions): PagedList<AuditEntry, AuditPage> {
    return this.api.list('GET /api/v1/admin/audit', { query }, options);
  }

  /**
   * List the use of every organization in a month, newest organizations first. One page when
   * awaited, all items when iterated.
   *
   * Rejects with ValidationError, NotFoundError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.admin.usage()) console.log(item);
   * ```
   */
  usage(query: OrganizationUsageQuery = {}, options?: RequestOptions): PagedList<OrganizationUsage, OrganizationUsagePage> {
    return this.api.list('GET /api/v1/admin/usage', { query }, options);
  }
}

/** The methods of a client that no resource has, and the resources without methods written by hand. */
export class Operations extends Resource {
  declare readonly apiKeys: ApiKeysResource;
  declare readonly organization: OrganizationResource;
  declare readonly people: PeopleResource;
  declare readonly session: SessionResource;
  declare readonly tags: TagsResource;
  declare readonly qr: QrResource;
  declare readonly webhooks: WebhooksResource;
  declare readonly events: EventsResource;
  declare readonly usage: UsageResource;
  declare readonly admin: AdminResource;

  constructor(api: Transport) {
    super(api);
    this.apiKeys = new ApiKeysResource(api);
    this.organization = new OrganizationResource(api);
    this.people = new PeopleResource(api);
    this.session = new SessionResource(api);
    this.tags = new TagsResource(api);
    this.qr = new QrResource(api);
    this.webhooks = new WebhooksResource(api);
    this.events = new EventsResource(api);
    this.usage = new UsageResource(api);
    this.admin = new AdminResource(api);
  }

  /**
   * Read who the caller is. The organization, its plan, and the scopes of the access token or API
   * key.
   *
   * @example
   * ```ts
   * console.log(await shorty.me());
   * ```
   */
  me(options?: RequestOptions): ApiPromise<Me> {
    return this.api.send('GET /api/v1/me', {}, options);
  }

  /**
   * List who changed the organization's records, newest first. Each accepted write makes one entry,
   * which is not changed after the response. The setting `SHORTY_AUDIT_RETENTION_DAYS` limits how
   * long entries are retained. An entry has no values, only names of fields. Needs the scope
   * keys:write, because entries name the clients, keys and addresses of the organization. One page
   * when awaited, all items when iterated.
   *
   * Rejects with ValidationError.
   *
   * @example
   * ```ts
   * for await (const item of shorty.audit()) console.log(item);
   * ```
   */
  audit(query: AuditQuery = {}, options?: RequestOptions): PagedList<AuditEntry, AuditPage> {
    return this.api.list('GET /api/v1/audit', { query }, options);
  }
}
