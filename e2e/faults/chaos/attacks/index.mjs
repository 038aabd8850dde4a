import { bodies } from './bodies.mjs';
import { sharedWork } from './shared-work.mjs';
import { webhooks } from './webhooks.mjs';

/**
 * Every attack by its name. An attack gets `{ target, tenants, ports, links, signal }` and
 * repeats until the signal is aborted.
 */
export const attacks = { ...bodies, ...sharedWork, ...webhooks };
