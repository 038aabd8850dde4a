import { erasureRoutes } from '../analytics/erasure-contract.js';
import { reportRoutes } from '../analytics/reports/report-contract.js';
import { auditRoutes } from '../audit/audit-contract.js';
import { apiKeyRoutes } from '../auth/api-key-contract.js';
import { clientRoutes } from '../auth/client-contract.js';
import { tokenRoutes } from '../auth/token-contract.js';
import { domainRoutes } from '../domains/domain-contract.js';
import { healthRoutes } from '../health/health-contract.js';
import { organizationRoutes } from '../organizations/organization-contract.js';
import { meRoutes, ownOrganizationRoutes } from '../organizations/own-organization-contract.js';
import { usageRoutes } from '../organizations/usage-contract.js';
import { userRoutes } from '../people/user-contract.js';
import { metadataRoutes } from '../previews/metadata-contract.js';
import { qrImageRoutes, qrRoutes } from '../qr/qr-contract.js';
import { redirectRoutes } from '../redirect/redirect-contract.js';
import { ruleTestRoutes } from '../redirect/rule-test.js';
import { moderationRoutes } from '../urls/moderation-contract.js';
import { tagRoutes } from '../urls/tag-contract.js';
import { urlRoutes } from '../urls/url-contract.js';
import { eventRoutes } from '../webhooks/event-contract.js';
import { webhookRoutes } from '../webhooks/webhook-contract.js';
import { docsRoutes } from './docs/docs-contract.js';

/** The table of routes: every path of this server. */
export const api = [
  ...tokenRoutes,
  ...apiKeyRoutes,
  ...meRoutes,
  ...ownOrganizationRoutes,
  ...userRoutes,
  ...auditRoutes,
  ...metadataRoutes,
  ...urlRoutes,
  ...ruleTestRoutes,
  ...tagRoutes,
  ...qrRoutes,
  ...reportRoutes,
  ...erasureRoutes,
  ...webhookRoutes,
  ...eventRoutes,
  ...domainRoutes,
  ...usageRoutes,
  ...organizationRoutes,
  ...clientRoutes,
  ...moderationRoutes,
  ...healthRoutes,
  ...docsRoutes,
  ...qrImageRoutes,
  ...redirectRoutes,
] as const;

export type ApiRoute = (typeof api)[number];
