export type { Credentials } from './auth/client-repository.js';
export { type Config, readConfig } from './config.js';
export { ConfigError } from './config-error.js';
export { createServer } from './create-server.js';
export { type Plan, type PlanTable, standardPlans } from './organizations/plans.js';
export type { Clock, ResolveTxt } from './ports.js';
export type { ServerOptions, ShortyServer } from './server-options.js';
