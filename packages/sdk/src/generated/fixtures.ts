// Generated from openapi.yaml by `npm run generate`. Do not edit.
import type { AnalyticsOverview, ApiKey, ApiKeyCreated, ApiKeyPage, AuditPage, BlockedHost, BlockedHostPage, Client, ClientCreated, ClientPage, Delivery, DeliveryDetail, DeliveryPage, Domain, DomainPage, EventPage, EventTypePage, Invitation, Me, Organization, OrganizationCreated, OrganizationDeletion, OrganizationPage, OrganizationUsagePage, OwnOrganization, PageMetadata, QrPage, QrPreview, QrRecord, QrScans, Recovered, RuleTest, Session, SessionState, SlugCheck, TagChangeResult, TagPage, Takedown, TakedownPage, Token, UrlBulkCreateResult, UrlBulkDeleteResult, UrlBulkUpdateResult, UrlClicks, UrlPage, UrlRecord, Usage, User, UserPage, VisitErasure, VisitExport, Webhook, WebhookCreated, WebhookPage, WebhookSecret, WebhookStats } from '../types.js';
import type { ErrorCodes } from './contract.js';

/** A valid result of each operation, from the examples of openapi.yaml. */
export const fixtures: {
  readonly createToken: Token;
  readonly createApiKey: ApiKeyCreated;
  readonly listApiKeys: ApiKeyPage;
  readonly deleteApiKey: ApiKey;
  readonly getMe: Me;
  readonly getOwnOrganization: OwnOrganization;
  readonly updateOwnOrganization: OwnOrganization;
  readonly inviteUser: Invitation;
  readonly listUsers: UserPage;
  readonly changeUserRole: User;
  readonly deleteUser: User;
  readonly resetUserPassword: Invitation;
  readonly acceptInvitation: Session;
  readonly getSession: SessionState;
  readonly createSession: Session;
  readonly deleteSession: Session;
  readonly changePassword: Session;
  readonly listAuditEntries: AuditPage;
  readonly listAllAuditEntries: AuditPage;
  readonly getUrlMetadata: PageMetadata;
  readonly createUrl: UrlRecord;
  readonly listUrls: UrlPage;
  readonly bulkCreateUrls: UrlBulkCreateResult;
  readonly bulkUpdateUrls: UrlBulkUpdateResult;
  readonly bulkDeleteUrls: UrlBulkDeleteResult;
  readonly lookupUrl: UrlRecord;
  readonly checkSlug: SlugCheck;
  readonly getUrlByExternalId: UrlRecord;
  readonly upsertUrl: UrlRecord;
  readonly getUrl: UrlRecord;
  readonly updateUrl: UrlRecord;
  readonly deleteUrl: UrlRecord;
  readonly restoreUrl: UrlRecord;
  readonly testUrlRules: RuleTest;
  readonly listTags: TagPage;
  readonly renameTag: TagChangeResult;
  readonly deleteTag: TagChangeResult;
  readonly createQr: QrRecord;
  readonly listQrs: QrPage;
  readonly previewQrDesign: QrPreview;
  readonly listUrlQrs: QrPage;
  readonly getQr: QrRecord;
  readonly updateQr: QrRecord;
  readonly deleteQr: QrRecord;
  readonly getUrlClicks: UrlClicks;
  readonly getAnalyticsOverview: AnalyticsOverview;
  readonly exportVisits: VisitExport;
  readonly getQrScans: QrScans;
  readonly eraseUrlVisits: VisitErasure;
  readonly createWebhook: WebhookCreated;
  readonly listWebhooks: WebhookPage;
  readonly getWebhook: Webhook;
  readonly updateWebhook: Webhook;
  readonly deleteWebhook: Webhook;
  readonly testWebhook: Delivery;
  readonly rotateWebhookSecret: WebhookSecret;
  readonly listDeliveries: DeliveryPage;
  readonly getDelivery: DeliveryDetail;
  readonly replayDelivery: Delivery;
  readonly recoverDeliveries: Recovered;
  readonly getWebhookStats: WebhookStats;
  readonly listEvents: EventPage;
  readonly listEventTypes: EventTypePage;
  readonly createDomain: Domain;
  readonly listDomains: DomainPage;
  readonly getDomain: Domain;
  readonly updateDomain: Domain;
  readonly deleteDomain: Domain;
  readonly verifyDomain: Domain;
  readonly getUsage: Usage;
  readonly createOrganization: OrganizationCreated;
  readonly listOrganizations: OrganizationPage;
  readonly getOrganization: Organization;
  readonly updateOrganization: Organization;
  readonly deleteOrganization: OrganizationDeletion;
  readonly listUsage: OrganizationUsagePage;
  readonly createClient: ClientCreated;
  readonly listClients: ClientPage;
  readonly revokeClient: Client;
  readonly listOrganizationApiKeys: ApiKeyPage;
  readonly deleteOrganizationApiKey: ApiKey;
  readonly takeDownUrl: Takedown;
  readonly listTakedowns: TakedownPage;
  readonly undoTakedown: Takedown;
  readonly blockHost: BlockedHost;
  readonly listBlockedHosts: BlockedHostPage;
  readonly unblockHost: BlockedHost;
} = {
  "createToken": {
    "accessToken": "shorty_at_9d2e",
    "tokenType": "Bearer",
    "expiresIn": 3600,
    "scope": "urls:read urls:write"
  },
  "createApiKey": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "name": "deploy script",
    "start": "shorty_ak_mZ4c",
    "scopes": [
      "urls:read"
    ],
    "domainId": null,
    "onlyOwnLinks": false,
    "createdBy": "shorty_ci_0f3b",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "expiresAt": null,
    "lastUsedAt": null,
    "key": "shorty_ak_mZ4cW3pPzYHqUnTkTqPHyAeqJvUqZ4Yt6mC8b1fZr0dE"
  },
  "listApiKeys": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "name": "deploy script",
        "start": "shorty_ak_mZ4c",
        "scopes": [
          "urls:read"
        ],
        "domainId": null,
        "onlyOwnLinks": false,
        "createdBy": "shorty_ci_0f3b",
        "createdAt": "2030-01-01T00:00:00.000Z",
        "expiresAt": null,
        "lastUsedAt": null
      }
    ]
  },
  "deleteApiKey": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "name": "deploy script",
    "start": "shorty_ak_mZ4c",
    "scopes": [
      "urls:read"
    ],
    "domainId": null,
    "onlyOwnLinks": false,
    "createdBy": "shorty_ci_0f3b",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "expiresAt": null,
    "lastUsedAt": null
  },
  "getMe": {
    "organization": {
      "id": "0198c0de-0000-7000-8000-0000000000aa",
      "name": "default",
      "plan": "scale"
    },
    "scopes": [
      "urls:read"
    ],
    "client": {
      "id": "shorty_ci_0f3b"
    },
    "apiKey": null,
    "user": {
      "id": "0198c0de-0000-7000-8000-0000000000aa",
      "email": "ada@example.com",
      "role": "owner",
      "hasPassword": false
    }
  },
  "getOwnOrganization": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "name": "Acme Ltd",
    "plan": "scale",
    "excludeAddresses": [
      "203.0.113.0/24",
      "2001:db8:1::/48"
    ]
  },
  "updateOwnOrganization": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "name": "Acme Ltd",
    "plan": "scale",
    "excludeAddresses": [
      "203.0.113.0/24",
      "2001:db8:1::/48"
    ]
  },
  "inviteUser": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "email": "ada@example.com",
    "role": "owner",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "lastSignedInAt": null,
    "hasPassword": false,
    "invitationExpiresAt": null,
    "invitationUrl": "https://sho.rt/dashboard/welcome#shorty_in_4fQZ"
  },
  "listUsers": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "email": "ada@example.com",
        "role": "owner",
        "createdAt": "2030-01-01T00:00:00.000Z",
        "lastSignedInAt": null,
        "hasPassword": false,
        "invitationExpiresAt": null
      }
    ]
  },
  "changeUserRole": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "email": "ada@example.com",
    "role": "owner",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "lastSignedInAt": null,
    "hasPassword": false,
    "invitationExpiresAt": null
  },
  "deleteUser": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "email": "ada@example.com",
    "role": "owner",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "lastSignedInAt": null,
    "hasPassword": false,
    "invitationExpiresAt": null
  },
  "resetUserPassword": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "email": "ada@example.com",
    "role": "owner",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "lastSignedInAt": null,
    "hasPassword": false,
    "invitationExpiresAt": null,
    "invitationUrl": "https://sho.rt/dashboard/welcome#shorty_in_4fQZ"
  },
  "acceptInvitation": {
    "user": {
      "id": "0198c0de-0000-7000-8000-0000000000aa",
      "email": "ada@example.com",
      "role": "owner",
      "createdAt": "2030-01-01T00:00:00.000Z",
      "lastSignedInAt": null,
      "hasPassword": false,
      "invitationExpiresAt": null
    }
  },
  "getSession": {
    "isSignedIn": false,
    "signInUrl": null,
    "servesAdministration": false
  },
  "createSession": {
    "user": {
      "id": "0198c0de-0000-7000-8000-0000000000aa",
      "email": "ada@example.com",
      "role": "owner",
      "createdAt": "2030-01-01T00:00:00.000Z",
      "lastSignedInAt": null,
      "hasPassword": false,
      "invitationExpiresAt": null
    }
  },
  "deleteSession": {
    "user": {
      "id": "0198c0de-0000-7000-8000-0000000000aa",
      "email": "ada@example.com",
      "role": "owner",
      "createdAt": "2030-01-01T00:00:00.000Z",
      "lastSignedInAt": null,
      "hasPassword": false,
      "invitationExpiresAt": null
    }
  },
  "changePassword": {
    "user": {
      "id": "0198c0de-0000-7000-8000-0000000000aa",
      "email": "ada@example.com",
      "role": "owner",
      "createdAt": "2030-01-01T00:00:00.000Z",
      "lastSignedInAt": null,
      "hasPassword": false,
      "invitationExpiresAt": null
    }
  },
  "listAuditEntries": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "createdAt": "2030-01-01T00:00:00.000Z",
        "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
        "actor": {
          "type": "user",
          "id": null,
          "name": null
        },
        "address": null,
        "operation": "updateUrl",
        "resource": {
          "type": "url",
          "id": null
        },
        "count": 1,
        "fields": [
          "title"
        ]
      }
    ]
  },
  "listAllAuditEntries": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "createdAt": "2030-01-01T00:00:00.000Z",
        "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
        "actor": {
          "type": "user",
          "id": null,
          "name": null
        },
        "address": null,
        "operation": "updateUrl",
        "resource": {
          "type": "url",
          "id": null
        },
        "count": 1,
        "fields": [
          "title"
        ]
      }
    ]
  },
  "getUrlMetadata": {
    "title": null,
    "description": null,
    "imageUrl": null,
    "error": null
  },
  "createUrl": {
    "id": "42",
    "shortCode": "aB3xY9q",
    "targetUrl": "https://example.com/spring?ref=mail#offers",
    "customSlug": "spring-sale",
    "shortUrl": "https://sho.example/spring-sale",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "externalId": null,
    "title": null,
    "description": null,
    "category": null,
    "tags": [],
    "domainId": null,
    "redirectType": 307,
    "activatesAt": null,
    "expiresAt": null,
    "expiredUrl": null,
    "maxClicks": null,
    "utmSource": null,
    "utmMedium": null,
    "utmCampaign": null,
    "utmTerm": null,
    "utmContent": null,
    "customUtmParams": {},
    "sourceDomain": null,
    "forwardQuery": null,
    "forwardPath": null,
    "rules": [],
    "preview": null,
    "infoPage": null,
    "publicStats": null,
    "targetBlockedAt": null,
    "deletedAt": null,
    "importedClicks": 1,
    "createdBy": null,
    "isPasswordProtected": false,
    "isActive": true,
    "clickCount": 0,
    "excludedClicks": 1,
    "clicksLeft": null,
    "lastClickAt": null,
    "takenDown": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "listUrls": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "42",
        "shortCode": "aB3xY9q",
        "targetUrl": "https://example.com/spring?ref=mail#offers",
        "customSlug": "spring-sale",
        "shortUrl": "https://sho.example/spring-sale",
        "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
        "externalId": null,
        "title": null,
        "description": null,
        "category": null,
        "tags": [],
        "domainId": null,
        "redirectType": 307,
        "activatesAt": null,
        "expiresAt": null,
        "expiredUrl": null,
        "maxClicks": null,
        "utmSource": null,
        "utmMedium": null,
        "utmCampaign": null,
        "utmTerm": null,
        "utmContent": null,
        "customUtmParams": {},
        "sourceDomain": null,
        "forwardQuery": null,
        "forwardPath": null,
        "rules": [],
        "preview": null,
        "infoPage": null,
        "publicStats": null,
        "targetBlockedAt": null,
        "deletedAt": null,
        "importedClicks": 1,
        "createdBy": null,
        "isPasswordProtected": false,
        "isActive": true,
        "clickCount": 0,
        "excludedClicks": 1,
        "clicksLeft": null,
        "lastClickAt": null,
        "takenDown": null,
        "createdAt": "2030-01-01T00:00:00.000Z",
        "updatedAt": "2030-01-01T00:00:00.000Z"
      }
    ]
  },
  "bulkCreateUrls": {
    "requested": 1,
    "createdCount": 1,
    "failedCount": 0,
    "created": [
      {
        "id": "42",
        "shortCode": "aB3xY9q",
        "targetUrl": "https://example.com/spring?ref=mail#offers",
        "customSlug": "spring-sale",
        "shortUrl": "https://sho.example/spring-sale",
        "index": 0,
        "externalId": null,
        "isExisting": true
      }
    ],
    "errors": []
  },
  "bulkUpdateUrls": {
    "requested": 1,
    "updatedCount": 1,
    "failedCount": 0,
    "updated": [
      {
        "id": "42",
        "shortCode": "aB3xY9q",
        "targetUrl": "https://example.com/spring?ref=mail#offers",
        "customSlug": "spring-sale",
        "shortUrl": "https://sho.example/spring-sale",
        "isActive": true,
        "index": 0,
        "externalId": null
      }
    ],
    "errors": []
  },
  "bulkDeleteUrls": {
    "requested": 1,
    "deletedCount": 1,
    "skippedCount": 0,
    "deletedIds": [
      "42"
    ],
    "skippedIds": []
  },
  "lookupUrl": {
    "id": "42",
    "shortCode": "aB3xY9q",
    "targetUrl": "https://example.com/spring?ref=mail#offers",
    "customSlug": "spring-sale",
    "shortUrl": "https://sho.example/spring-sale",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "externalId": null,
    "title": null,
    "description": null,
    "category": null,
    "tags": [],
    "domainId": null,
    "redirectType": 307,
    "activatesAt": null,
    "expiresAt": null,
    "expiredUrl": null,
    "maxClicks": null,
    "utmSource": null,
    "utmMedium": null,
    "utmCampaign": null,
    "utmTerm": null,
    "utmContent": null,
    "customUtmParams": {},
    "sourceDomain": null,
    "forwardQuery": null,
    "forwardPath": null,
    "rules": [],
    "preview": null,
    "infoPage": null,
    "publicStats": null,
    "targetBlockedAt": null,
    "deletedAt": null,
    "importedClicks": 1,
    "createdBy": null,
    "isPasswordProtected": false,
    "isActive": true,
    "clickCount": 0,
    "excludedClicks": 1,
    "clicksLeft": null,
    "lastClickAt": null,
    "takenDown": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "checkSlug": {
    "slug": "spring-sale",
    "isAvailable": false,
    "reason": null,
    "message": null
  },
  "getUrlByExternalId": {
    "id": "42",
    "shortCode": "aB3xY9q",
    "targetUrl": "https://example.com/spring?ref=mail#offers",
    "customSlug": "spring-sale",
    "shortUrl": "https://sho.example/spring-sale",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "externalId": null,
    "title": null,
    "description": null,
    "category": null,
    "tags": [],
    "domainId": null,
    "redirectType": 307,
    "activatesAt": null,
    "expiresAt": null,
    "expiredUrl": null,
    "maxClicks": null,
    "utmSource": null,
    "utmMedium": null,
    "utmCampaign": null,
    "utmTerm": null,
    "utmContent": null,
    "customUtmParams": {},
    "sourceDomain": null,
    "forwardQuery": null,
    "forwardPath": null,
    "rules": [],
    "preview": null,
    "infoPage": null,
    "publicStats": null,
    "targetBlockedAt": null,
    "deletedAt": null,
    "importedClicks": 1,
    "createdBy": null,
    "isPasswordProtected": false,
    "isActive": true,
    "clickCount": 0,
    "excludedClicks": 1,
    "clicksLeft": null,
    "lastClickAt": null,
    "takenDown": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "upsertUrl": {
    "id": "42",
    "shortCode": "aB3xY9q",
    "targetUrl": "https://example.com/spring?ref=mail#offers",
    "customSlug": "spring-sale",
    "shortUrl": "https://sho.example/spring-sale",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "externalId": null,
    "title": null,
    "description": null,
    "category": null,
    "tags": [],
    "domainId": null,
    "redirectType": 307,
    "activatesAt": null,
    "expiresAt": null,
    "expiredUrl": null,
    "maxClicks": null,
    "utmSource": null,
    "utmMedium": null,
    "utmCampaign": null,
    "utmTerm": null,
    "utmContent": null,
    "customUtmParams": {},
    "sourceDomain": null,
    "forwardQuery": null,
    "forwardPath": null,
    "rules": [],
    "preview": null,
    "infoPage": null,
    "publicStats": null,
    "targetBlockedAt": null,
    "deletedAt": null,
    "importedClicks": 1,
    "createdBy": null,
    "isPasswordProtected": false,
    "isActive": true,
    "clickCount": 0,
    "excludedClicks": 1,
    "clicksLeft": null,
    "lastClickAt": null,
    "takenDown": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "getUrl": {
    "id": "42",
    "shortCode": "aB3xY9q",
    "targetUrl": "https://example.com/spring?ref=mail#offers",
    "customSlug": "spring-sale",
    "shortUrl": "https://sho.example/spring-sale",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "externalId": null,
    "title": null,
    "description": null,
    "category": null,
    "tags": [],
    "domainId": null,
    "redirectType": 307,
    "activatesAt": null,
    "expiresAt": null,
    "expiredUrl": null,
    "maxClicks": null,
    "utmSource": null,
    "utmMedium": null,
    "utmCampaign": null,
    "utmTerm": null,
    "utmContent": null,
    "customUtmParams": {},
    "sourceDomain": null,
    "forwardQuery": null,
    "forwardPath": null,
    "rules": [],
    "preview": null,
    "infoPage": null,
    "publicStats": null,
    "targetBlockedAt": null,
    "deletedAt": null,
    "importedClicks": 1,
    "createdBy": null,
    "isPasswordProtected": false,
    "isActive": true,
    "clickCount": 0,
    "excludedClicks": 1,
    "clicksLeft": null,
    "lastClickAt": null,
    "takenDown": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "updateUrl": {
    "id": "42",
    "shortCode": "aB3xY9q",
    "targetUrl": "https://example.com/spring?ref=mail#offers",
    "customSlug": "spring-sale",
    "shortUrl": "https://sho.example/spring-sale",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "externalId": null,
    "title": null,
    "description": null,
    "category": null,
    "tags": [],
    "domainId": null,
    "redirectType": 307,
    "activatesAt": null,
    "expiresAt": null,
    "expiredUrl": null,
    "maxClicks": null,
    "utmSource": null,
    "utmMedium": null,
    "utmCampaign": null,
    "utmTerm": null,
    "utmContent": null,
    "customUtmParams": {},
    "sourceDomain": null,
    "forwardQuery": null,
    "forwardPath": null,
    "rules": [],
    "preview": null,
    "infoPage": null,
    "publicStats": null,
    "targetBlockedAt": null,
    "deletedAt": null,
    "importedClicks": 1,
    "createdBy": null,
    "isPasswordProtected": false,
    "isActive": true,
    "clickCount": 0,
    "excludedClicks": 1,
    "clicksLeft": null,
    "lastClickAt": null,
    "takenDown": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "deleteUrl": {
    "id": "42",
    "shortCode": "aB3xY9q",
    "targetUrl": "https://example.com/spring?ref=mail#offers",
    "customSlug": "spring-sale",
    "shortUrl": "https://sho.example/spring-sale",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "externalId": null,
    "title": null,
    "description": null,
    "category": null,
    "tags": [],
    "domainId": null,
    "redirectType": 307,
    "activatesAt": null,
    "expiresAt": null,
    "expiredUrl": null,
    "maxClicks": null,
    "utmSource": null,
    "utmMedium": null,
    "utmCampaign": null,
    "utmTerm": null,
    "utmContent": null,
    "customUtmParams": {},
    "sourceDomain": null,
    "forwardQuery": null,
    "forwardPath": null,
    "rules": [],
    "preview": null,
    "infoPage": null,
    "publicStats": null,
    "targetBlockedAt": null,
    "deletedAt": null,
    "importedClicks": 1,
    "createdBy": null,
    "isPasswordProtected": false,
    "isActive": true,
    "clickCount": 0,
    "excludedClicks": 1,
    "clicksLeft": null,
    "lastClickAt": null,
    "takenDown": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "restoreUrl": {
    "id": "42",
    "shortCode": "aB3xY9q",
    "targetUrl": "https://example.com/spring?ref=mail#offers",
    "customSlug": "spring-sale",
    "shortUrl": "https://sho.example/spring-sale",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "externalId": null,
    "title": null,
    "description": null,
    "category": null,
    "tags": [],
    "domainId": null,
    "redirectType": 307,
    "activatesAt": null,
    "expiresAt": null,
    "expiredUrl": null,
    "maxClicks": null,
    "utmSource": null,
    "utmMedium": null,
    "utmCampaign": null,
    "utmTerm": null,
    "utmContent": null,
    "customUtmParams": {},
    "sourceDomain": null,
    "forwardQuery": null,
    "forwardPath": null,
    "rules": [],
    "preview": null,
    "infoPage": null,
    "publicStats": null,
    "targetBlockedAt": null,
    "deletedAt": null,
    "importedClicks": 1,
    "createdBy": null,
    "isPasswordProtected": false,
    "isActive": true,
    "clickCount": 0,
    "excludedClicks": 1,
    "clicksLeft": null,
    "lastClickAt": null,
    "takenDown": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "testUrlRules": {
    "rule": null,
    "outcomes": [
      {
        "variant": "german/1",
        "location": "https://example.com/de?utm_source=mail",
        "share": 0.5
      }
    ],
    "skipped": [
      {
        "rule": "german",
        "condition": "country"
      }
    ]
  },
  "listTags": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "name": "launch",
        "linkCount": 1
      }
    ]
  },
  "renameTag": {
    "name": "launch",
    "updatedCount": 1,
    "isComplete": true
  },
  "deleteTag": {
    "name": "launch",
    "updatedCount": 1,
    "isComplete": true
  },
  "createQr": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "urlId": "42",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "qrData": "https://sho.example/aB3xY9q",
    "format": "png",
    "size": 512,
    "errorCorrection": "M",
    "foregroundColor": "#000000",
    "backgroundColor": "#FFFFFF",
    "background": "solid",
    "margin": 4,
    "logoUrl": null,
    "stylePreset": "default",
    "downloadCount": 0,
    "scanCount": 0,
    "downloadUrl": "/api/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11/download",
    "previewUrl": "/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "listQrs": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "urlId": "42",
        "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
        "qrData": "https://sho.example/aB3xY9q",
        "format": "png",
        "size": 512,
        "errorCorrection": "M",
        "foregroundColor": "#000000",
        "backgroundColor": "#FFFFFF",
        "background": "solid",
        "margin": 4,
        "logoUrl": null,
        "stylePreset": "default",
        "downloadCount": 0,
        "scanCount": 0,
        "downloadUrl": "/api/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11/download",
        "previewUrl": "/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11",
        "createdAt": "2030-01-01T00:00:00.000Z",
        "updatedAt": "2030-01-01T00:00:00.000Z"
      }
    ]
  },
  "previewQrDesign": {
    "qrData": "https://sho.example/aB3xY9q",
    "format": "png",
    "size": 512,
    "image": "data:image/png;base64,iVBORw0KGgo="
  },
  "listUrlQrs": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "urlId": "42",
        "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
        "qrData": "https://sho.example/aB3xY9q",
        "format": "png",
        "size": 512,
        "errorCorrection": "M",
        "foregroundColor": "#000000",
        "backgroundColor": "#FFFFFF",
        "background": "solid",
        "margin": 4,
        "logoUrl": null,
        "stylePreset": "default",
        "downloadCount": 0,
        "scanCount": 0,
        "downloadUrl": "/api/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11/download",
        "previewUrl": "/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11",
        "createdAt": "2030-01-01T00:00:00.000Z",
        "updatedAt": "2030-01-01T00:00:00.000Z"
      }
    ]
  },
  "getQr": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "urlId": "42",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "qrData": "https://sho.example/aB3xY9q",
    "format": "png",
    "size": 512,
    "errorCorrection": "M",
    "foregroundColor": "#000000",
    "backgroundColor": "#FFFFFF",
    "background": "solid",
    "margin": 4,
    "logoUrl": null,
    "stylePreset": "default",
    "downloadCount": 0,
    "scanCount": 0,
    "downloadUrl": "/api/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11/download",
    "previewUrl": "/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "updateQr": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "urlId": "42",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "qrData": "https://sho.example/aB3xY9q",
    "format": "png",
    "size": 512,
    "errorCorrection": "M",
    "foregroundColor": "#000000",
    "backgroundColor": "#FFFFFF",
    "background": "solid",
    "margin": 4,
    "logoUrl": null,
    "stylePreset": "default",
    "downloadCount": 0,
    "scanCount": 0,
    "downloadUrl": "/api/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11/download",
    "previewUrl": "/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "deleteQr": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "urlId": "42",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "qrData": "https://sho.example/aB3xY9q",
    "format": "png",
    "size": 512,
    "errorCorrection": "M",
    "foregroundColor": "#000000",
    "backgroundColor": "#FFFFFF",
    "background": "solid",
    "margin": 4,
    "logoUrl": null,
    "stylePreset": "default",
    "downloadCount": 0,
    "scanCount": 0,
    "downloadUrl": "/api/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11/download",
    "previewUrl": "/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z"
  },
  "getUrlClicks": {
    "since": "2030-11-01T00:00:00.000Z",
    "until": "2030-11-01T00:00:00.000Z",
    "timezone": "UTC",
    "countriesDate": null,
    "retainedSince": null,
    "urlId": "42",
    "shortCode": "aB3xY9q",
    "createdAt": "2030-11-01T00:00:00.000Z",
    "importedClicks": 1,
    "totals": {
      "totalClicks": 1,
      "uniqueClicks": 1,
      "uniqueIps": 1
    },
    "breakdowns": {
      "country": [
        {
          "clicks": 1,
          "label": "DE",
          "count": 1,
          "country": "DE"
        }
      ],
      "region": [
        {
          "clicks": 1,
          "label": "DE-BE",
          "count": 1,
          "region": "DE-BE"
        }
      ],
      "city": [
        {
          "clicks": 1,
          "label": "DE",
          "count": 1,
          "city": "Berlin",
          "region": "DE-BE",
          "country": "DE"
        }
      ],
      "device": [
        {
          "clicks": 1,
          "label": "desktop",
          "count": 1,
          "deviceType": "desktop"
        }
      ],
      "browser": [
        {
          "clicks": 1,
          "label": "Firefox",
          "count": 1,
          "browser": "Firefox"
        }
      ],
      "os": [
        {
          "clicks": 1,
          "label": "Android",
          "count": 1,
          "os": "Android"
        }
      ],
      "referrer": [
        {
          "clicks": 1,
          "label": "news.example.com",
          "count": 1,
          "referrerType": "direct",
          "referrerDomain": "news.example.com"
        }
      ],
      "language": [
        {
          "clicks": 1,
          "label": "de",
          "count": 1,
          "language": "de"
        }
      ],
      "utmSource": [
        {
          "clicks": 1,
          "label": "newsletter",
          "count": 1,
          "utmSource": "newsletter"
        }
      ],
      "utmMedium": [
        {
          "clicks": 1,
          "label": "email",
          "count": 1,
          "utmMedium": "email"
        }
      ],
      "utmCampaign": [
        {
          "clicks": 1,
          "label": "spring-sale",
          "count": 1,
          "utmCampaign": "spring-sale"
        }
      ],
      "utmTerm": [
        {
          "clicks": 1,
          "label": "running shoes",
          "count": 1,
          "utmTerm": "running shoes"
        }
      ],
      "utmContent": [
        {
          "clicks": 1,
          "label": "button",
          "count": 1,
          "utmContent": "button"
        }
      ],
      "variant": [
        {
          "clicks": 1,
          "label": "german/2",
          "count": 1,
          "variant": "german/2"
        }
      ]
    },
    "timeseries": [
      {
        "bucket": "2030-11-01T00:00:00.000Z",
        "clicks": 1,
        "uniques": 1
      }
    ]
  },
  "getAnalyticsOverview": {
    "since": "2030-11-01T00:00:00.000Z",
    "until": "2030-11-01T00:00:00.000Z",
    "timezone": "UTC",
    "countriesDate": null,
    "retainedSince": null,
    "importedClicks": 1,
    "totals": {
      "totalUrls": 1,
      "activeUrls": 1,
      "totalClicks": 1,
      "uniqueClicks": 1,
      "uniqueIps": 1,
      "totalQrs": 1,
      "totalScans": 1,
      "provenScans": 1,
      "inferredScans": 1
    },
    "topUrls": [
      {
        "urlId": "42",
        "shortCode": "aB3xY9q",
        "shortUrl": "https://sho.example/spring-sale",
        "clicks": 1
      }
    ],
    "breakdowns": {
      "country": [
        {
          "clicks": 1,
          "label": "DE",
          "count": 1,
          "country": "DE"
        }
      ],
      "region": [
        {
          "clicks": 1,
          "label": "DE-BE",
          "count": 1,
          "region": "DE-BE"
        }
      ],
      "city": [
        {
          "clicks": 1,
          "label": "DE",
          "count": 1,
          "city": "Berlin",
          "region": "DE-BE",
          "country": "DE"
        }
      ],
      "device": [
        {
          "clicks": 1,
          "label": "desktop",
          "count": 1,
          "deviceType": "desktop"
        }
      ],
      "browser": [
        {
          "clicks": 1,
          "label": "Firefox",
          "count": 1,
          "browser": "Firefox"
        }
      ],
      "os": [
        {
          "clicks": 1,
          "label": "Android",
          "count": 1,
          "os": "Android"
        }
      ],
      "referrer": [
        {
          "clicks": 1,
          "label": "news.example.com",
          "count": 1,
          "referrerType": "direct",
          "referrerDomain": "news.example.com"
        }
      ],
      "language": [
        {
          "clicks": 1,
          "label": "de",
          "count": 1,
          "language": "de"
        }
      ],
      "utmSource": [
        {
          "clicks": 1,
          "label": "newsletter",
          "count": 1,
          "utmSource": "newsletter"
        }
      ],
      "utmMedium": [
        {
          "clicks": 1,
          "label": "email",
          "count": 1,
          "utmMedium": "email"
        }
      ],
      "utmCampaign": [
        {
          "clicks": 1,
          "label": "spring-sale",
          "count": 1,
          "utmCampaign": "spring-sale"
        }
      ],
      "utmTerm": [
        {
          "clicks": 1,
          "label": "running shoes",
          "count": 1,
          "utmTerm": "running shoes"
        }
      ],
      "utmContent": [
        {
          "clicks": 1,
          "label": "button",
          "count": 1,
          "utmContent": "button"
        }
      ],
      "variant": [
        {
          "clicks": 1,
          "label": "german/2",
          "count": 1,
          "variant": "german/2"
        }
      ]
    },
    "timeseries": [
      {
        "bucket": "2030-11-01T00:00:00.000Z",
        "clicks": 1,
        "uniques": 1
      }
    ]
  },
  "exportVisits": {
    "since": "2030-11-01T00:00:00.000Z",
    "until": "2030-11-01T00:00:00.000Z",
    "timezone": "UTC",
    "count": 1,
    "text": "{\"visitedAt\":\"2030-11-01T00:00:00.000Z\",\"urlId\":\"42\",\"method\":\"click\"}\n",
    "nextAfter": null
  },
  "getQrScans": {
    "since": "2030-11-01T00:00:00.000Z",
    "until": "2030-11-01T00:00:00.000Z",
    "timezone": "UTC",
    "countriesDate": null,
    "retainedSince": null,
    "qrCodeId": "0198c0de-0000-7000-8000-0000000000aa",
    "urlId": "42",
    "createdAt": "2030-11-01T00:00:00.000Z",
    "totals": {
      "totalScans": 1,
      "uniqueScans": 1,
      "uniqueIps": 1,
      "provenScans": 1,
      "inferredScans": 1
    },
    "breakdowns": {
      "country": [
        {
          "scans": 1,
          "provenScans": 1,
          "inferredScans": 1,
          "label": "DE",
          "count": 1,
          "country": "DE"
        }
      ],
      "device": [
        {
          "scans": 1,
          "provenScans": 1,
          "inferredScans": 1,
          "label": "desktop",
          "count": 1,
          "deviceType": "desktop"
        }
      ],
      "browser": [
        {
          "scans": 1,
          "provenScans": 1,
          "inferredScans": 1,
          "label": "Firefox",
          "count": 1,
          "browser": "Firefox"
        }
      ],
      "scanMethod": [
        {
          "scans": 1,
          "provenScans": 1,
          "inferredScans": 1,
          "label": "camera",
          "count": 1,
          "scanMethod": "camera"
        }
      ],
      "scannerApp": [
        {
          "scans": 1,
          "provenScans": 1,
          "inferredScans": 1,
          "label": "iOS Camera",
          "count": 1,
          "scannerApp": "iOS Camera"
        }
      ]
    },
    "timeseries": [
      {
        "bucket": "2030-11-01T00:00:00.000Z",
        "scans": 1,
        "uniques": 1,
        "provenScans": 1,
        "inferredScans": 1
      }
    ]
  },
  "eraseUrlVisits": {
    "urlId": "42",
    "erasedUntil": "2030-01-01T00:00:00.000Z"
  },
  "createWebhook": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "url": "https://example.com/hooks/shorty",
    "events": [
      "url.created"
    ],
    "isActive": true,
    "description": null,
    "filters": {
      "tags": [
        "launch"
      ]
    },
    "headerNames": [
      "Authorization"
    ],
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "failureRate": null,
    "lastSuccessAt": null,
    "failingSince": null,
    "disabledAt": null,
    "disabledReason": null,
    "previousSecrets": [],
    "secret": "shorty_ws_2YbW3pPzYHqUnTkTqPHyAeqJvUqZ4Yt6mC8b1fZr0dE",
    "standardWebhooksSecret": "whsec_c2hvcnR5X3dzXzJZYlczcFB6WUhxVW5Ua1RxUEh5QWVxSnZVcVo0WXQ2bUM4YjFmWnIwZEU="
  },
  "listWebhooks": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "url": "https://example.com/hooks/shorty",
        "events": [
          "url.created"
        ],
        "isActive": true,
        "description": null,
        "filters": {
          "tags": [
            "launch"
          ]
        },
        "headerNames": [
          "Authorization"
        ],
        "createdAt": "2030-01-01T00:00:00.000Z",
        "updatedAt": "2030-01-01T00:00:00.000Z",
        "failureRate": null,
        "lastSuccessAt": null,
        "failingSince": null,
        "disabledAt": null,
        "disabledReason": null,
        "previousSecrets": []
      }
    ]
  },
  "getWebhook": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "url": "https://example.com/hooks/shorty",
    "events": [
      "url.created"
    ],
    "isActive": true,
    "description": null,
    "filters": {
      "tags": [
        "launch"
      ]
    },
    "headerNames": [
      "Authorization"
    ],
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "failureRate": null,
    "lastSuccessAt": null,
    "failingSince": null,
    "disabledAt": null,
    "disabledReason": null,
    "previousSecrets": []
  },
  "updateWebhook": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "url": "https://example.com/hooks/shorty",
    "events": [
      "url.created"
    ],
    "isActive": true,
    "description": null,
    "filters": {
      "tags": [
        "launch"
      ]
    },
    "headerNames": [
      "Authorization"
    ],
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "failureRate": null,
    "lastSuccessAt": null,
    "failingSince": null,
    "disabledAt": null,
    "disabledReason": null,
    "previousSecrets": []
  },
  "deleteWebhook": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "url": "https://example.com/hooks/shorty",
    "events": [
      "url.created"
    ],
    "isActive": true,
    "description": null,
    "filters": {
      "tags": [
        "launch"
      ]
    },
    "headerNames": [
      "Authorization"
    ],
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "failureRate": null,
    "lastSuccessAt": null,
    "failingSince": null,
    "disabledAt": null,
    "disabledReason": null,
    "previousSecrets": []
  },
  "testWebhook": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "webhookId": "0198c0de-0000-7000-8000-0000000000aa",
    "eventId": "0198c0de-0000-7000-8000-0000000000aa",
    "eventType": "url.created",
    "status": "pending",
    "attempts": 1,
    "nextAttemptAt": null,
    "lastStatusCode": null,
    "lastError": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "deliveredAt": null
  },
  "rotateWebhookSecret": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "secret": "shorty_ws_2YbW3pPzYHqUnTkTqPHyAeqJvUqZ4Yt6mC8b1fZr0dE",
    "standardWebhooksSecret": "whsec_c2hvcnR5X3dzXzJZYlczcFB6WUhxVW5Ua1RxUEh5QWVxSnZVcVo0WXQ2bUM4YjFmWnIwZEU=",
    "previousSecretExpiresAt": "2030-01-01T00:00:00.000Z"
  },
  "listDeliveries": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "webhookId": "0198c0de-0000-7000-8000-0000000000aa",
        "eventId": "0198c0de-0000-7000-8000-0000000000aa",
        "eventType": "url.created",
        "status": "pending",
        "attempts": 1,
        "nextAttemptAt": null,
        "lastStatusCode": null,
        "lastError": null,
        "createdAt": "2030-01-01T00:00:00.000Z",
        "deliveredAt": null
      }
    ]
  },
  "getDelivery": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "webhookId": "0198c0de-0000-7000-8000-0000000000aa",
    "eventId": "0198c0de-0000-7000-8000-0000000000aa",
    "eventType": "url.created",
    "status": "pending",
    "attempts": 1,
    "nextAttemptAt": null,
    "lastStatusCode": null,
    "lastError": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "deliveredAt": null,
    "requestBody": "{\"id\":\"0198c0de-0000-7000-8000-0000000000aa\",\"type\":\"domain.verified\",\"createdAt\":\"2030-01-01T00:00:00.000Z\",\"data\":{\"hostname\":\"go.example.com\"}}",
    "attemptHistory": [
      {
        "number": 1,
        "attemptedAt": "2030-01-01T00:00:00.000Z",
        "durationMs": 1,
        "statusCode": null,
        "error": null,
        "responseBody": null
      }
    ]
  },
  "replayDelivery": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "webhookId": "0198c0de-0000-7000-8000-0000000000aa",
    "eventId": "0198c0de-0000-7000-8000-0000000000aa",
    "eventType": "url.created",
    "status": "pending",
    "attempts": 1,
    "nextAttemptAt": null,
    "lastStatusCode": null,
    "lastError": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "deliveredAt": null
  },
  "recoverDeliveries": {
    "created": 120,
    "hasMore": false
  },
  "getWebhookStats": {
    "webhookId": "0198c0de-0000-7000-8000-0000000000aa",
    "since": "2030-01-01T00:00:00.000Z",
    "until": "2030-01-01T00:00:00.000Z",
    "totals": {
      "attempts": 120,
      "failedAttempts": 3,
      "successRate": null,
      "delivered": 117,
      "failed": 0
    },
    "failures": [
      {
        "cause": "status_5xx",
        "attempts": 120
      }
    ],
    "lastSuccessAt": null,
    "timeseries": [
      {
        "bucket": "2030-01-01T00:00:00.000Z",
        "attempts": 120,
        "failedAttempts": 3
      }
    ]
  },
  "listEvents": {
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "createdAt": "2030-01-01T00:00:00.000Z",
        "type": "url.created",
        "data": {
          "id": "42",
          "shortCode": "aB3xY9q",
          "targetUrl": "https://example.com/spring?ref=mail#offers",
          "customSlug": "spring-sale",
          "shortUrl": "https://sho.example/spring-sale",
          "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
          "externalId": null,
          "title": null,
          "description": null,
          "category": null,
          "tags": [],
          "domainId": null,
          "redirectType": 307,
          "activatesAt": null,
          "expiresAt": null,
          "expiredUrl": null,
          "maxClicks": null,
          "utmSource": null,
          "utmMedium": null,
          "utmCampaign": null,
          "utmTerm": null,
          "utmContent": null,
          "customUtmParams": {},
          "sourceDomain": null,
          "forwardQuery": null,
          "forwardPath": null,
          "rules": [],
          "preview": null,
          "infoPage": null,
          "publicStats": null,
          "targetBlockedAt": null,
          "deletedAt": null,
          "importedClicks": 1,
          "createdBy": null,
          "isPasswordProtected": false,
          "isActive": true,
          "clickCount": 0,
          "excludedClicks": 1,
          "clicksLeft": null,
          "lastClickAt": null,
          "takenDown": null,
          "createdAt": "2030-01-01T00:00:00.000Z",
          "updatedAt": "2030-01-01T00:00:00.000Z"
        }
      }
    ],
    "nextAfter": "12"
  },
  "listEventTypes": {
    "items": [
      {
        "type": "url.created",
        "description": "A link was created, alone or in bulk",
        "isOptIn": false,
        "schema": {},
        "example": {}
      }
    ]
  },
  "createDomain": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "hostname": "go.example.com",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "isActive": true,
    "txtRecord": {
      "name": "_shorty-challenge.go.example.com",
      "type": "TXT",
      "value": "shorty-verification=3c1TzGhM0bV7wJqXkq2vYc9NfRrEoPaL"
    },
    "rootUrl": null,
    "notFoundUrl": null,
    "expiredUrl": null,
    "ignoreCase": false,
    "forwardQuery": false,
    "forwardPath": false,
    "appleAppSiteAssociation": null,
    "assetLinks": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "verifiedAt": null,
    "lastCheckedAt": null,
    "lastError": null
  },
  "listDomains": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "hostname": "go.example.com",
        "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
        "isActive": true,
        "txtRecord": {
          "name": "_shorty-challenge.go.example.com",
          "type": "TXT",
          "value": "shorty-verification=3c1TzGhM0bV7wJqXkq2vYc9NfRrEoPaL"
        },
        "rootUrl": null,
        "notFoundUrl": null,
        "expiredUrl": null,
        "ignoreCase": false,
        "forwardQuery": false,
        "forwardPath": false,
        "appleAppSiteAssociation": null,
        "assetLinks": null,
        "createdAt": "2030-01-01T00:00:00.000Z",
        "updatedAt": "2030-01-01T00:00:00.000Z",
        "verifiedAt": null,
        "lastCheckedAt": null,
        "lastError": null
      }
    ]
  },
  "getDomain": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "hostname": "go.example.com",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "isActive": true,
    "txtRecord": {
      "name": "_shorty-challenge.go.example.com",
      "type": "TXT",
      "value": "shorty-verification=3c1TzGhM0bV7wJqXkq2vYc9NfRrEoPaL"
    },
    "rootUrl": null,
    "notFoundUrl": null,
    "expiredUrl": null,
    "ignoreCase": false,
    "forwardQuery": false,
    "forwardPath": false,
    "appleAppSiteAssociation": null,
    "assetLinks": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "verifiedAt": null,
    "lastCheckedAt": null,
    "lastError": null
  },
  "updateDomain": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "hostname": "go.example.com",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "isActive": true,
    "txtRecord": {
      "name": "_shorty-challenge.go.example.com",
      "type": "TXT",
      "value": "shorty-verification=3c1TzGhM0bV7wJqXkq2vYc9NfRrEoPaL"
    },
    "rootUrl": null,
    "notFoundUrl": null,
    "expiredUrl": null,
    "ignoreCase": false,
    "forwardQuery": false,
    "forwardPath": false,
    "appleAppSiteAssociation": null,
    "assetLinks": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "verifiedAt": null,
    "lastCheckedAt": null,
    "lastError": null
  },
  "deleteDomain": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "hostname": "go.example.com",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "isActive": true,
    "txtRecord": {
      "name": "_shorty-challenge.go.example.com",
      "type": "TXT",
      "value": "shorty-verification=3c1TzGhM0bV7wJqXkq2vYc9NfRrEoPaL"
    },
    "rootUrl": null,
    "notFoundUrl": null,
    "expiredUrl": null,
    "ignoreCase": false,
    "forwardQuery": false,
    "forwardPath": false,
    "appleAppSiteAssociation": null,
    "assetLinks": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "verifiedAt": null,
    "lastCheckedAt": null,
    "lastError": null
  },
  "verifyDomain": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "hostname": "go.example.com",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "isActive": true,
    "txtRecord": {
      "name": "_shorty-challenge.go.example.com",
      "type": "TXT",
      "value": "shorty-verification=3c1TzGhM0bV7wJqXkq2vYc9NfRrEoPaL"
    },
    "rootUrl": null,
    "notFoundUrl": null,
    "expiredUrl": null,
    "ignoreCase": false,
    "forwardQuery": false,
    "forwardPath": false,
    "appleAppSiteAssociation": null,
    "assetLinks": null,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "updatedAt": "2030-01-01T00:00:00.000Z",
    "verifiedAt": null,
    "lastCheckedAt": null,
    "lastError": null
  },
  "getUsage": {
    "period": "2030-01",
    "plan": "scale",
    "meters": {
      "api_call": {
        "used": 1
      },
      "qr_generated": {
        "used": 1,
        "included": null,
        "overage": 0,
        "overageUsd": 0.15
      },
      "webhook_delivery": {
        "used": 1,
        "included": null,
        "overage": 0,
        "overageUsd": 0.15
      }
    },
    "links": {
      "used": 1,
      "included": null
    }
  },
  "createOrganization": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "name": "Acme Ltd",
    "plan": "scale",
    "activeUrls": 1,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "suspendedAt": null,
    "deletedAt": null,
    "clientId": "shorty_ci_0f3b",
    "clientSecret": "shorty_cs_2c81"
  },
  "listOrganizations": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "name": "Acme Ltd",
        "plan": "scale",
        "activeUrls": 1,
        "createdAt": "2030-01-01T00:00:00.000Z",
        "suspendedAt": null,
        "deletedAt": null
      }
    ]
  },
  "getOrganization": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "name": "Acme Ltd",
    "plan": "scale",
    "activeUrls": 1,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "suspendedAt": null,
    "deletedAt": null
  },
  "updateOrganization": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "name": "Acme Ltd",
    "plan": "scale",
    "activeUrls": 1,
    "createdAt": "2030-01-01T00:00:00.000Z",
    "suspendedAt": null,
    "deletedAt": null
  },
  "deleteOrganization": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "deletedAt": "2030-01-01T00:00:00.000Z"
  },
  "listUsage": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "period": "2030-01",
        "plan": "scale",
        "meters": {
          "api_call": {
            "used": 1
          },
          "qr_generated": {
            "used": 1,
            "included": null,
            "overage": 0,
            "overageUsd": 0.15
          },
          "webhook_delivery": {
            "used": 1,
            "included": null,
            "overage": 0,
            "overageUsd": 0.15
          }
        },
        "links": {
          "used": 1,
          "included": null
        },
        "organization": {
          "id": "0198c0de-0000-7000-8000-0000000000aa",
          "name": "Acme Ltd"
        }
      }
    ]
  },
  "createClient": {
    "id": "shorty_ci_0f3b",
    "name": null,
    "scopes": [
      "urls:read"
    ],
    "createdAt": "2030-01-01T00:00:00.000Z",
    "revokedAt": null,
    "clientSecret": "shorty_cs_2c81"
  },
  "listClients": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "shorty_ci_0f3b",
        "name": null,
        "scopes": [
          "urls:read"
        ],
        "createdAt": "2030-01-01T00:00:00.000Z",
        "revokedAt": null
      }
    ]
  },
  "revokeClient": {
    "id": "shorty_ci_0f3b",
    "name": null,
    "scopes": [
      "urls:read"
    ],
    "createdAt": "2030-01-01T00:00:00.000Z",
    "revokedAt": null
  },
  "listOrganizationApiKeys": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "0198c0de-0000-7000-8000-0000000000aa",
        "name": "deploy script",
        "start": "shorty_ak_mZ4c",
        "scopes": [
          "urls:read"
        ],
        "domainId": null,
        "onlyOwnLinks": false,
        "createdBy": "shorty_ci_0f3b",
        "createdAt": "2030-01-01T00:00:00.000Z",
        "expiresAt": null,
        "lastUsedAt": null
      }
    ]
  },
  "deleteOrganizationApiKey": {
    "id": "0198c0de-0000-7000-8000-0000000000aa",
    "name": "deploy script",
    "start": "shorty_ak_mZ4c",
    "scopes": [
      "urls:read"
    ],
    "domainId": null,
    "onlyOwnLinks": false,
    "createdBy": "shorty_ci_0f3b",
    "createdAt": "2030-01-01T00:00:00.000Z",
    "expiresAt": null,
    "lastUsedAt": null
  },
  "takeDownUrl": {
    "id": "42",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "shortUrl": "https://sho.example/aB3xY9q",
    "targetUrl": "https://evil.example/login",
    "reason": "phishing",
    "createdAt": "2030-01-01T00:00:00.000Z"
  },
  "listTakedowns": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "id": "42",
        "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
        "shortUrl": "https://sho.example/aB3xY9q",
        "targetUrl": "https://evil.example/login",
        "reason": "phishing",
        "createdAt": "2030-01-01T00:00:00.000Z"
      }
    ]
  },
  "undoTakedown": {
    "id": "42",
    "organizationId": "0198c0de-0000-7000-8000-0000000000aa",
    "shortUrl": "https://sho.example/aB3xY9q",
    "targetUrl": "https://evil.example/login",
    "reason": "phishing",
    "createdAt": "2030-01-01T00:00:00.000Z"
  },
  "blockHost": {
    "host": "evil.example",
    "reason": "phishing",
    "createdAt": "2030-01-01T00:00:00.000Z"
  },
  "listBlockedHosts": {
    "total": 1,
    "limit": 100,
    "offset": 0,
    "nextAfter": null,
    "items": [
      {
        "host": "evil.example",
        "reason": "phishing",
        "createdAt": "2030-01-01T00:00:00.000Z"
      }
    ]
  },
  "unblockHost": {
    "host": "evil.example",
    "reason": "phishing",
    "createdAt": "2030-01-01T00:00:00.000Z"
  }
};

/** The method, the path and the status of each operation's success. */
export const successes = {
  "createToken": {
    "route": "POST /api/v1/auth/token",
    "status": 200
  },
  "createApiKey": {
    "route": "POST /api/v1/api-keys",
    "status": 201
  },
  "listApiKeys": {
    "route": "GET /api/v1/api-keys",
    "status": 200
  },
  "deleteApiKey": {
    "route": "DELETE /api/v1/api-keys/{id}",
    "status": 200
  },
  "getMe": {
    "route": "GET /api/v1/me",
    "status": 200
  },
  "getOwnOrganization": {
    "route": "GET /api/v1/organization",
    "status": 200
  },
  "updateOwnOrganization": {
    "route": "PATCH /api/v1/organization",
    "status": 200
  },
  "inviteUser": {
    "route": "POST /api/v1/people",
    "status": 201
  },
  "listUsers": {
    "route": "GET /api/v1/people",
    "status": 200
  },
  "changeUserRole": {
    "route": "PUT /api/v1/people/{id}/role",
    "status": 200
  },
  "deleteUser": {
    "route": "DELETE /api/v1/people/{id}",
    "status": 200
  },
  "resetUserPassword": {
    "route": "POST /api/v1/people/{id}/invitation",
    "status": 201
  },
  "acceptInvitation": {
    "route": "POST /api/v1/session/invitation",
    "status": 201
  },
  "getSession": {
    "route": "GET /api/v1/session",
    "status": 200
  },
  "createSession": {
    "route": "POST /api/v1/session",
    "status": 201
  },
  "deleteSession": {
    "route": "DELETE /api/v1/session",
    "status": 200
  },
  "changePassword": {
    "route": "PUT /api/v1/session/password",
    "status": 200
  },
  "listAuditEntries": {
    "route": "GET /api/v1/audit",
    "status": 200
  },
  "listAllAuditEntries": {
    "route": "GET /api/v1/admin/audit",
    "status": 200
  },
  "getUrlMetadata": {
    "route": "GET /api/v1/urls/metadata",
    "status": 200
  },
  "createUrl": {
    "route": "POST /api/v1/urls",
    "status": 200
  },
  "listUrls": {
    "route": "GET /api/v1/urls",
    "status": 200
  },
  "bulkCreateUrls": {
    "route": "POST /api/v1/urls/bulk",
    "status": 201
  },
  "bulkUpdateUrls": {
    "route": "PATCH /api/v1/urls/bulk",
    "status": 200
  },
  "bulkDeleteUrls": {
    "route": "DELETE /api/v1/urls/bulk",
    "status": 200
  },
  "lookupUrl": {
    "route": "GET /api/v1/urls/lookup",
    "status": 200
  },
  "checkSlug": {
    "route": "GET /api/v1/urls/slug",
    "status": 200
  },
  "getUrlByExternalId": {
    "route": "GET /api/v1/urls/by-external-id/{externalId}",
    "status": 200
  },
  "upsertUrl": {
    "route": "PUT /api/v1/urls/by-external-id/{externalId}",
    "status": 200
  },
  "getUrl": {
    "route": "GET /api/v1/urls/{id}",
    "status": 200
  },
  "updateUrl": {
    "route": "PATCH /api/v1/urls/{id}",
    "status": 200
  },
  "deleteUrl": {
    "route": "DELETE /api/v1/urls/{id}",
    "status": 200
  },
  "restoreUrl": {
    "route": "POST /api/v1/urls/{id}/restore",
    "status": 200
  },
  "testUrlRules": {
    "route": "GET /api/v1/urls/{id}/rules/test",
    "status": 200
  },
  "listTags": {
    "route": "GET /api/v1/tags",
    "status": 200
  },
  "renameTag": {
    "route": "PATCH /api/v1/tags/{tag}",
    "status": 200
  },
  "deleteTag": {
    "route": "DELETE /api/v1/tags/{tag}",
    "status": 200
  },
  "createQr": {
    "route": "POST /api/v1/qr",
    "status": 201
  },
  "listQrs": {
    "route": "GET /api/v1/qr",
    "status": 200
  },
  "previewQrDesign": {
    "route": "POST /api/v1/qr/preview",
    "status": 200
  },
  "listUrlQrs": {
    "route": "GET /api/v1/urls/{id}/qr",
    "status": 200
  },
  "getQr": {
    "route": "GET /api/v1/qr/{id}",
    "status": 200
  },
  "updateQr": {
    "route": "PATCH /api/v1/qr/{id}",
    "status": 200
  },
  "deleteQr": {
    "route": "DELETE /api/v1/qr/{id}",
    "status": 200
  },
  "getUrlClicks": {
    "route": "GET /api/v1/urls/{id}/clicks",
    "status": 200
  },
  "getAnalyticsOverview": {
    "route": "GET /api/v1/analytics/overview",
    "status": 200
  },
  "exportVisits": {
    "route": "GET /api/v1/visits",
    "status": 200
  },
  "getQrScans": {
    "route": "GET /api/v1/qr/{id}/scans",
    "status": 200
  },
  "eraseUrlVisits": {
    "route": "DELETE /api/v1/urls/{id}/visits",
    "status": 200
  },
  "createWebhook": {
    "route": "POST /api/v1/webhooks",
    "status": 201
  },
  "listWebhooks": {
    "route": "GET /api/v1/webhooks",
    "status": 200
  },
  "getWebhook": {
    "route": "GET /api/v1/webhooks/{id}",
    "status": 200
  },
  "updateWebhook": {
    "route": "PATCH /api/v1/webhooks/{id}",
    "status": 200
  },
  "deleteWebhook": {
    "route": "DELETE /api/v1/webhooks/{id}",
    "status": 200
  },
  "testWebhook": {
    "route": "POST /api/v1/webhooks/{id}/test",
    "status": 201
  },
  "rotateWebhookSecret": {
    "route": "POST /api/v1/webhooks/{id}/rotate-secret",
    "status": 200
  },
  "listDeliveries": {
    "route": "GET /api/v1/webhooks/{id}/deliveries",
    "status": 200
  },
  "getDelivery": {
    "route": "GET /api/v1/webhooks/{id}/deliveries/{deliveryId}",
    "status": 200
  },
  "replayDelivery": {
    "route": "POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay",
    "status": 201
  },
  "recoverDeliveries": {
    "route": "POST /api/v1/webhooks/{id}/recover",
    "status": 201
  },
  "getWebhookStats": {
    "route": "GET /api/v1/webhooks/{id}/stats",
    "status": 200
  },
  "listEvents": {
    "route": "GET /api/v1/events",
    "status": 200
  },
  "listEventTypes": {
    "route": "GET /api/v1/event-types",
    "status": 200
  },
  "createDomain": {
    "route": "POST /api/v1/domains",
    "status": 201
  },
  "listDomains": {
    "route": "GET /api/v1/domains",
    "status": 200
  },
  "getDomain": {
    "route": "GET /api/v1/domains/{id}",
    "status": 200
  },
  "updateDomain": {
    "route": "PATCH /api/v1/domains/{id}",
    "status": 200
  },
  "deleteDomain": {
    "route": "DELETE /api/v1/domains/{id}",
    "status": 200
  },
  "verifyDomain": {
    "route": "POST /api/v1/domains/{id}/verify",
    "status": 200
  },
  "getUsage": {
    "route": "GET /api/v1/usage",
    "status": 200
  },
  "createOrganization": {
    "route": "POST /api/v1/admin/organizations",
    "status": 201
  },
  "listOrganizations": {
    "route": "GET /api/v1/admin/organizations",
    "status": 200
  },
  "getOrganization": {
    "route": "GET /api/v1/admin/organizations/{id}",
    "status": 200
  },
  "updateOrganization": {
    "route": "PATCH /api/v1/admin/organizations/{id}",
    "status": 200
  },
  "deleteOrganization": {
    "route": "DELETE /api/v1/admin/organizations/{id}",
    "status": 202
  },
  "listUsage": {
    "route": "GET /api/v1/admin/usage",
    "status": 200
  },
  "createClient": {
    "route": "POST /api/v1/admin/organizations/{id}/clients",
    "status": 201
  },
  "listClients": {
    "route": "GET /api/v1/admin/organizations/{id}/clients",
    "status": 200
  },
  "revokeClient": {
    "route": "DELETE /api/v1/admin/organizations/{id}/clients/{clientId}",
    "status": 200
  },
  "listOrganizationApiKeys": {
    "route": "GET /api/v1/admin/organizations/{id}/api-keys",
    "status": 200
  },
  "deleteOrganizationApiKey": {
    "route": "DELETE /api/v1/admin/organizations/{id}/api-keys/{keyId}",
    "status": 200
  },
  "takeDownUrl": {
    "route": "POST /api/v1/admin/takedowns",
    "status": 201
  },
  "listTakedowns": {
    "route": "GET /api/v1/admin/takedowns",
    "status": 200
  },
  "undoTakedown": {
    "route": "DELETE /api/v1/admin/takedowns/{id}",
    "status": 200
  },
  "blockHost": {
    "route": "POST /api/v1/admin/blocked-hosts",
    "status": 201
  },
  "listBlockedHosts": {
    "route": "GET /api/v1/admin/blocked-hosts",
    "status": 200
  },
  "unblockHost": {
    "route": "DELETE /api/v1/admin/blocked-hosts/{host}",
    "status": 200
  },
  "downloadQr": {
    "route": "GET /api/qr/{id}/download",
    "status": 200
  }
};

/** The names of the operations of the API, such as `createUrl`. */
export type OperationId = keyof typeof successes;

/** The status of each error code. */
export const errorStatuses: Readonly<Record<ErrorCodes[keyof ErrorCodes], number>> = {
  "VALIDATION_FAILED": 400,
  "SLUG_RESERVED": 400,
  "DOMAIN_INVALID": 400,
  "UNAUTHORIZED": 401,
  "QUOTA_EXCEEDED": 402,
  "PLAN_REQUIRED": 403,
  "INSUFFICIENT_SCOPE": 403,
  "CROSS_ORIGIN": 403,
  "ORGANIZATION_SUSPENDED": 403,
  "NOT_FOUND": 404,
  "SLUG_CONFLICT": 409,
  "EXTERNAL_ID_CONFLICT": 409,
  "DOMAIN_CONFLICT": 409,
  "SECRET_CONFLICT": 409,
  "EMAIL_CONFLICT": 409,
  "LAST_OWNER": 409,
  "IDEMPOTENCY_CONFLICT": 409,
  "GONE": 410,
  "PRECONDITION_FAILED": 412,
  "PAYLOAD_TOO_LARGE": 413,
  "UNSUPPORTED_MEDIA_TYPE": 415,
  "RATE_LIMITED": 429,
  "INTERNAL": 500,
  "UNAVAILABLE": 503
};
