import { z } from 'zod';
import { reportRoutes } from '../../server/src/analytics/reports/report-contract.js';
import { apiKeyRoutes } from '../../server/src/auth/api-key-contract.js';
import { clientRoutes } from '../../server/src/auth/client-contract.js';
import { domainRoutes } from '../../server/src/domains/domain-contract.js';
import { meRoutes } from '../../server/src/organizations/me-contract.js';
import { organizationRoutes } from '../../server/src/organizations/organization-contract.js';
import { ownOrganizationRoutes } from '../../server/src/organizations/own-organization-contract.js';
import { usageRoutes } from '../../server/src/organizations/usage-contract.js';
import { qrRoutes } from '../../server/src/qr/qr-contract.js';
import { blockedHostRoutes } from '../../server/src/urls/blocked-host-contract.js';
import { takedownRoutes } from '../../server/src/urls/takedown-contract.js';
import { urlRoutes } from '../../server/src/urls/url-contract.js';
import { webhookRoutes } from '../../server/src/webhooks/webhook-contract.js';

const routes = [
  ...urlRoutes,
  ...domainRoutes,
  ...qrRoutes,
  ...reportRoutes,
  ...meRoutes,
  ...usageRoutes,
  ...apiKeyRoutes,
  ...clientRoutes,
  ...organizationRoutes,
  ...ownOrganizationRoutes,
  ...takedownRoutes,
  ...blockedHostRoutes,
  ...webhookRoutes,
];

/** Returns the schema of the data that an operation of the API responds with. */
export function dataOf(operationId: (typeof routes)[number]['operationId']): z.ZodObject {
  const { responses } = routes.find((route) => route.operationId === operationId) ?? {};
  for (const response of Object.values(responses ?? {})) {
    if ('data' in response && response.data instanceof z.ZodObject) return response.data;
  }
  throw new Error(`${operationId} has no object as its data`);
}
