import { tokenRoutes } from '../auth/token-contract.js';
import { clickRoutes } from '../clicks/clicks-contract.js';
import { docsRoutes } from '../docs/docs-contract.js';
import { domainRoutes } from '../domains/domain-contract.js';
import { healthRoutes } from '../health/health-contract.js';
import { qrRoutes } from '../qr/qr-contract.js';
import { qrPictureRoutes } from '../qr/qr-picture-contract.js';
import { redirectRoutes } from '../redirect/redirect-contract.js';
import { scanRoutes } from '../scans/scans-contract.js';
import { urlRoutes } from '../urls/url-contract.js';
import { usageRoutes } from '../usage/usage-contract.js';
import { webhookRoutes } from '../webhooks/webhook-contract.js';

/** The table: every path that this server answers. */
export const api = [
  ...tokenRoutes,
  ...urlRoutes,
  ...qrRoutes,
  ...clickRoutes,
  ...scanRoutes,
  ...webhookRoutes,
  ...domainRoutes,
  ...usageRoutes,
  ...healthRoutes,
  ...docsRoutes,
  ...qrPictureRoutes,
  ...redirectRoutes,
] as const;

export type ApiRoute = (typeof api)[number];
